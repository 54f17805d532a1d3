"""What clients can do to an engine: kill its workers, fill its memory, hold its connections."""
