"""PostgreSQL from a wheel."""
