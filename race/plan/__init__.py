"""What is raced, in which order, and how long it takes."""
