"""PostgreSQL: its drivers, one file each, and what they do, one file of data each."""
