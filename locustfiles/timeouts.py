"""Timeouts of the locustfile; LOCUST_TIMEOUTS changes them, as in `page=3,progress=1`."""

from __future__ import annotations

import os
import sys
from typing import NamedTuple


class Timeouts(NamedTuple):
    """Timeouts and intervals of the locustfile, in seconds."""

    site: float = 1.5  # to connect to the site before a run, and as long again for its answer
    page: float = 10.0  # for a page to be answered; a later answer is a failure
    heartbeat: float = 4.0  # at the end of a run, for one more heartbeat of each worker
    workers: float = 1.0  # between two checks of the workers
    progress: float = 5.0  # between two lines about a run without a web page


def read(text: str) -> Timeouts:
    """Return the timeouts with the changes in a text; one that is wrong ends the program."""
    try:
        changes = [item.split("=") for item in text.split(",") if item]
        return Timeouts(**{name.strip(): float(seconds) for name, seconds in changes})
    except (TypeError, ValueError):
        names = ", ".join(Timeouts._fields)
        sys.exit(f"LOCUST_TIMEOUTS: {text!r} is not like page=3,progress=1; the names are {names}")


TIMEOUTS = read(os.environ.get("LOCUST_TIMEOUTS", ""))
