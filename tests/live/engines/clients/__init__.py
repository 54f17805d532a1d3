"""Clients that misbehave, on one server of each framework; tests/long/faults has the rest."""
