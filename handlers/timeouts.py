"""The timeouts of the web side."""

from __future__ import annotations

from typing import NamedTuple

from runtime.timeouts import timeouts


class Timeouts(NamedTuple):
    """Timeouts of the web side, in seconds."""

    request: float = 12.0  # for a request to arrive whole and be answered; pages take at most 2
    idle: float = 75.0  # for a connection on which nothing moves
    check: float = 1.0  # from one check of all connections to the next
    linger: float = 1.0  # for a client to take the answer to a body that was refused
    finish: float = 5.0  # for requests in flight when the server is stopped
    cancel: float = 1.0  # for requests cancelled after that to end
    stop: float = 8.0  # for workers to end before they are killed
    restart: float = 0.1  # before a short-lived worker is replaced; grows with each such life
    longest_restart: float = 0.8  # to which it grows
    short_life: float = 1.0  # which a worker must reach to be replaced at once
    refresh: float = 5.0  # from one reading of the statistics to the next
    repeat: float = 10.0  # before the log repeats a line that every visitor could cause


TIMEOUTS = timeouts(Timeouts, "SITE_TIMEOUTS")
