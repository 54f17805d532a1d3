"""Readers and checks of the site's pages, without Locust."""
