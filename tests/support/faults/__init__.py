"""Clients that misbehave; tests/live uses few of them, tests/long/faults many."""
