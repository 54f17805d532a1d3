"""The site's clock for votes and reports, in whole seconds since 1970.

Databases decide by their own clocks when a token or a session is too old. The time of a vote comes
from the site, so that equal votes give equal reports on every database, and so that it can be
stopped.
"""

from __future__ import annotations

import os
import time
from datetime import datetime
from typing import Callable

VARIABLE = "SITE_CLOCK"
# Reports look back up to a year, and no time before 1970 is stored.
EARLIEST = 366 * 86_400

Clock = Callable[[], int]


class ClockError(Exception):
    """SITE_CLOCK is no time; the message is one line."""


def clock() -> Clock:
    """Return the machine's clock, or one that stands still at the instant in SITE_CLOCK."""
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
