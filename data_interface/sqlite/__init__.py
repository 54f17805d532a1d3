"""SQLite: the database is a file, and runs in the site's own processes."""
