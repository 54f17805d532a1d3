"""What `make chaos` does, and whether it sees what it is there to see."""
