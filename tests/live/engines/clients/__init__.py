"""What clients can do to a server: one server of each framework; tests/long/faults has the rest."""
