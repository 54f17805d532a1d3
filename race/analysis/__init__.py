"""From saved cells to what a race found."""
