"""The site on MySQL, as MariaDB: one file for each driver, everything else once."""
