"""Builds the objects of database results, without a database: the interpreter's own limit.

Runs on any CPython from 3.7 on: ``python objects.py [--seconds S]`` builds at least a million, and
prints a line of JSON: the objects, and the seconds that they took.
"""

import argparse
import json
import sys
import time

BATCH = 100_000
LEAST = 1_000_000


class Row:
    """A row as a driver would return it, with the code and the schema of the answer."""

    def __init__(self, code: int, schema: int, body: tuple) -> None:  # type: ignore[type-arg]
        self.code = code
        self.schema = schema
        self.body = body


def build(number: int) -> None:
    """Make rows and throw them away, as a page does."""
    for each in range(number):
        Row(0, 1, (each, 1, "title", 0, 0, 0))


def main() -> int:
    """Build rows for a while; return the exit status."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=1.0)
    limit = parser.parse_args().seconds
    objects = 0
    began = time.perf_counter()
    spent = 0.0
    while objects < LEAST or spent < limit:
        build(BATCH)
        objects += BATCH
        spent = time.perf_counter() - began
    print(json.dumps({"objects": objects, "seconds": spent}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
