"""Timeouts of private databases. DATABASE_TIMEOUTS changes them, such as ``grace=10,restart=3``."""

from __future__ import annotations

from typing import NamedTuple

from runtime.timeouts import timeouts


class Timeouts(NamedTuple):
    """Timeouts of private databases, in seconds."""

    start: float = 80.0  # for a user to wait until the database answers
    lock: float = 100.0  # for a user to wait until another one has started or stopped the database
    initialise: float = 30.0  # for the program that makes an empty data folder
    answer: float = 45.0  # for the server to answer after its start; it may read a log first
    recovery: float = 600.0  # for PostgreSQL to recover after it was killed
    copy: float = 600.0  # to copy the data of a database
    retry: float = 7.0  # for PostgreSQL to be started again if it ends at once
    greeting: float = 1.0  # for a server to greet a connection
    stop: float = 10.0  # for a server to close its files before it is killed
    program: float = 5.0  # for a small program, such as one that prints its version
    grace: float = 1.5  # from the last user's end to the stop of the database
    restart: float = 1.0  # from the death of the server to its restart
    replace: float = 5.0  # to wait for the lock under which a dead supervisor is replaced


TIMEOUTS = timeouts(Timeouts, "DATABASE_TIMEOUTS")
