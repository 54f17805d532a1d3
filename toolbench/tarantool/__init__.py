"""Tarantool's drivers, on the spaces of the sticker site."""
