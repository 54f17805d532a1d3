"""What articles claimed, held against saved races."""
