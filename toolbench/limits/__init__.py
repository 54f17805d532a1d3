"""The limits: what a driver behind a page, and the interpreter alone, can do at most."""
