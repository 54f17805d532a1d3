"""MySQL, as MariaDB: its drivers, the operations that they do, the table that these read."""
