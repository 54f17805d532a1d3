"""Helpers for every part of the project: the standard library only, CPython 3.7 and newer."""
