"""Two commits of an application: checked out, built, raced."""
