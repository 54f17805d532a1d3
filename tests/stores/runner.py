"""Runs cases in the interpreter that a backend needs; also a program for that interpreter.

``python -m tests.stores.runner BACKEND CONNECTION URL`` reads names of cases from its input, and
answers each with a line of JSON: the traceback, or null.
"""

from __future__ import annotations

import asyncio
import json
import sys
import traceback
from typing import Awaitable, Callable, Dict

from . import cases_data, cases_trouble, cases_votes, cases_wire
from .bench import Bench

Case = Callable[[Bench], Awaitable[None]]

CASES: Dict[str, Case] = {
    name[len("case_") :]: case
    for module in (cases_data, cases_votes, cases_wire, cases_trouble)
    for name, case in vars(module).items()
    if name.startswith("case_")
}


def run_case(bench: Bench, case: str) -> None:
    """Run it in an event loop of its own."""
    asyncio.run(CASES[case](bench))


def main() -> None:
    """Serve until the input ends."""
    bench = Bench(*sys.argv[1:])
    for line in sys.stdin:
        trace = None
        try:
            run_case(bench, line.strip())
        except Exception:
            trace = traceback.format_exc()
        print(json.dumps(trace), flush=True)


if __name__ == "__main__":
    main()
