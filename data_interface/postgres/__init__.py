"""The site on PostgreSQL: one file for each driver, everything else once."""
