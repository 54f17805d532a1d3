"""What surrounds a run: its arguments, its shape, the guard, the verdict, the reports, the tab."""
