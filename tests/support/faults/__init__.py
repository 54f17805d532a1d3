"""What clients can do to a server; tests/live does little of it, tests/long/faults much."""
