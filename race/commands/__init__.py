"""The commands of `race`, one file each."""
