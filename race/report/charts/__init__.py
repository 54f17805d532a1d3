"""The report's drawings."""
