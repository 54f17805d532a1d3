"""MySQL, as MariaDB: its drivers, what they are asked, the table that they are asked about."""
