"""Turns an error of the store into an answer for the reader of a page and a line for the log."""

from __future__ import annotations

import logging
import threading
import time
from typing import Dict, NamedTuple, Optional

from data_interface.store import Busy, Conflict, NotFound, StoreError, Unavailable
from handlers.timeouts import TIMEOUTS

RETRY_AFTER = {"Retry-After": "2"}
STATUS = {Unavailable: 503, Busy: 503, NotFound: 404, Conflict: 409}
TITLES = {503: "One moment", 404: "Not found", 409: "Conflict", 500: "Our fault"}
OUR_FAULT = "Something went wrong here, not with you."
# Visitors are not told the address or the name of a database that is away; the log has both.
AWAY = {
    Unavailable: "The database does not answer just now.",
    Busy: "Too many visitors want the database at once.",
}
MOST_LINES = 16

_log = logging.getLogger("site")


class RepeatedLines:
    """Log lines that every visitor could cause, each at most once in `TIMEOUTS.repeat` seconds."""

    def __init__(self) -> None:
        self._logged: Dict[str, float] = {}
        self._lock = threading.Lock()

    def log(self, level: int, line: str) -> None:
        """Log the line, unless it or too many others were logged a short time ago."""
        now = time.monotonic()
        recent = now - TIMEOUTS.repeat
        with self._lock:
            self._logged = {line: when for line, when in self._logged.items() if when > recent}
            new = line not in self._logged and len(self._logged) < MOST_LINES
            if new:
                self._logged[line] = now
        if new:
            _log.log(level, "%s", line)


_repeated = RepeatedLines()


class Refusal(NamedTuple):
    """The answer to a reader: a status, a title, a message, and further headers or None."""

    status: int
    title: str
    message: str
    extra: Optional[Dict[str, str]] = None


def refusal(error: StoreError) -> Refusal:
    """Return what a reader is told of an error, and log what the operator must know."""
    status = STATUS.get(type(error), 500)
    if status < 500:
        return Refusal(status, TITLES[status], str(error))
    # Errors of the database itself are for the log, not for a visitor.
    if status == 500:
        _repeated.log(logging.ERROR, str(error))
        return Refusal(500, TITLES[500], OUR_FAULT)
    # Too many requests at once are nothing that the operator must look into.
    busy = isinstance(error, Busy)
    _repeated.log(logging.INFO if busy else logging.WARNING, str(error))
    return Refusal(503, TITLES[503], AWAY[type(error)], RETRY_AFTER)
