"""Runs cases in the interpreter that a backend needs; also a program for that interpreter.

``python -m tests.stores.runner BACKEND CONNECTION URL`` reads names of cases from its input, and
answers each with a line of JSON: the traceback, or null.
"""

from __future__ import annotations

import asyncio
import json
import sys
import traceback
from types import ModuleType
from typing import Any, Callable, Coroutine, Dict

from tests.stores import cases_data, cases_server, cases_trouble, cases_votes, cases_wire
from tests.stores.bench import Bench

Case = Callable[[Bench], Coroutine[Any, Any, None]]


def cases_in(*modules: ModuleType) -> Dict[str, Case]:
    """The cases of these modules by name."""
    return {
        name[len("case_") :]: case
        for module in modules
        for name, case in vars(module).items()
        if name.startswith("case_")
    }


FOR_ALL = cases_in(cases_data, cases_votes, cases_trouble)
# Those that need a database behind the store.
FOR_SERVERS = cases_in(cases_wire, cases_server)
CASES = {**FOR_ALL, **FOR_SERVERS}


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
        except Exception:  # noqa: BLE001  whatever it is, it is the case's result
            trace = traceback.format_exc()
        print(json.dumps(trace), flush=True)


if __name__ == "__main__":
    main()
