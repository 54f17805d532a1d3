"""The site on MariaDB: one file for each driver, everything else once."""
