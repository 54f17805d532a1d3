"""The system's Tarantool."""
