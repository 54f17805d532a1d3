"""The site on Tarantool: one file for each driver, everything else once."""
