"""Tells how a contender's rate grows with its workers."""
