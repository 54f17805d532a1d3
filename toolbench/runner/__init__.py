"""A Python driver in a process of its own: lines of JSON in and out (docs/adding-a-driver.md).

Runs on CPython 3.7 too, with nothing from outside but the driver and uvloop.
"""
