"""What every part stands on: the standard library only, CPython 3.7 and newer."""
