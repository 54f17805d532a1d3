"""Tarantool: its drivers on the spaces of the sticker site."""
