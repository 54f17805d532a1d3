"""One thin adapter for each web framework, and what they share: start, signals, end."""
