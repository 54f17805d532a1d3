"""The search for the highest rate that keeps a promise."""
