"""The site's clock: whole seconds since 1970. Votes and reports have their time from it.

Databases have clocks of their own, which say when a token or a session is too old. When a vote was
cast is the site's to say: the same votes then give the same reports on every database, and the time
can be stopped.
"""

from __future__ import annotations

import os
import time
from datetime import datetime
from typing import Callable

VARIABLE = "SITE_CLOCK"
# Reports look back; nobody stores a time before 1970.
EARLIEST = 366 * 86_400

Clock = Callable[[], int]


class ClockError(Exception):
    """SITE_CLOCK is no time. The text is one line."""


def clock() -> Clock:
    """The machine's clock; where SITE_CLOCK names an instant, one that stands still there."""
    text = os.environ.get(VARIABLE)
    if not text:
        return lambda: int(time.time())
    instant = _instant(text)
    return lambda: instant


def _instant(text: str) -> int:
    try:
        instant = int(datetime.strptime(text, "%Y-%m-%dT%H:%M:%S%z").timestamp())
    except (ValueError, OverflowError):
        instant = 0
    if instant < EARLIEST:
        raise ClockError(f"{VARIABLE}={text}: must be a time since 1971 as 2026-05-01T12:00:00Z")
    return instant
