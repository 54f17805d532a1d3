"""Texts, tables and boards on a terminal."""
