"""A race while it runs: rounds, cells, measuring, judging."""
