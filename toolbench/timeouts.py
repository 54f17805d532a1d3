"""Timeouts of the measurement of database drivers."""

from __future__ import annotations

from typing import NamedTuple

from runtime.timeouts import timeouts


class Timeouts(NamedTuple):
    """Timeouts of the toolbench, in seconds."""

    start: float = 30.0  # for a runner to start and to open its first connection
    check: float = 30.0  # for a runner to do an operation once
    load: float = 30.0  # for a runner to answer, beyond the length of a load and its overtime
    overtime: float = 5.0  # for operations that are under way when a load's time is up
    exit: float = 1.0  # for a runner that is silent to end
    close: float = 3.0  # for a runner to close its connections
    close_pool: float = 1.0  # for a driver's own pool to close its connections
    connect: float = 5.0  # for the connections that take a timeout
    reference: float = 120.0  # for the reference to answer; to make 100,000 rows takes some seconds
    statement: float = 30.0  # for MariaDB to send or take the next bytes of a statement
    evaluate: float = 10.0  # for Tarantool to run the Lua of the reference
    page: float = 10.0  # for a page that asks Tarantool
    lock: float = 10.0  # for another race that uses the same tables to end
    probe: float = 15.0  # for a program to print its version
    pool_turn: float = 60.0  # for a task of SQLAlchemy's workload to get a connection
    activity: float = 10.0  # for PostgreSQL to say which connections are open


TIMEOUTS = timeouts(Timeouts, "TOOLBENCH_TIMEOUTS")
