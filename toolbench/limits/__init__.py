"""What one driver and the interpreter allow at most."""
