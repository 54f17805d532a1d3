"""Races of the sticker site: engines, pages, HTTP load."""
