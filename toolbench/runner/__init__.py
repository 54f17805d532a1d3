"""The process that runs one Python driver (docs/adding-a-driver.md).

Runs on CPython 3.7, too, with no packages but the driver and uvloop.
"""
