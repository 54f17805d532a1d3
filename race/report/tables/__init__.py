"""The tables of a report, each filled once for all of its forms."""
