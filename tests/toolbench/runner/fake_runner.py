"""A runner that answers as it is told, rightly or wrongly: `fake_runner.py WHAT`.

Its one operation has the rows 2, 3, 4.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Callable

WHAT = sys.argv[1]
RIGHT = [[["int", "2"]], [["int", "3"]], [["int", "4"]]]
ROWS = {
    "wrong type": [*RIGHT[:2], [["text", "4"]]],
    "wrong value": [*RIGHT[:2], [["int", "5"]]],
    "a row too few": RIGHT[:2],
    "a column too many": [[["int", "2"], ["int", "2"]], *RIGHT[1:]],
    "null": [[["null", None]], *RIGHT[1:]],
    "no pair": [*RIGHT[:2], [["int"]]],
    "no list": [*RIGHT[:2], [["array", 4]]],
}
LOAD = {
    "operations": 3,
    "seconds": 0.5,
    "errors": {},
    "latency_ns": {"min": 1e6, "mean": 2e6, "max": 3e6, "deviation": 1e6},
    "histogram": [[1000.0, 1], [2000.0, 1], [3000.0, 1]],
    "beside_ns": 5,
}


def checked() -> object:
    """The answer to a check."""
    if WHAT == "dies":
        sys.exit("it is over")
    if WHAT == "is killed":
        os.kill(os.getpid(), signal.SIGKILL)
    if WHAT == "is silent":
        time.sleep(60)
    if WHAT == "mumbles":
        return "hm"
    if WHAT == "has nothing":
        return {"unsupported": "query"}
    if WHAT == "fails":
        return {"error": "it did not work"}
    if WHAT == "forgets":
        return {"rows": "many"}
    return {"rows": ROWS.get(WHAT, RIGHT), "count": 3}


for line in sys.stdin:
    question = json.loads(line)
    answers: dict[str, Callable[[], object]] = {
        "open": lambda: {"ready": True},
        "check": checked,
        "drive": lambda: {**LOAD, "late": 2 if WHAT == "is late" else 0},
    }
    answer = answers[question["do"]]()
    print(json.dumps(answer), flush=True)
