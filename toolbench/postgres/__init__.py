"""PostgreSQL: its drivers, the operations that they do, the reference for their results."""
