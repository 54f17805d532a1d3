"""Database drivers measured like with like."""
