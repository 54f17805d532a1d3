"""Timeouts of the stores. STORE_TIMEOUTS changes them, for example ``page=0.5,cleaning=30``."""

from __future__ import annotations

from typing import NamedTuple

from runtime.timeouts import timeouts


class Timeouts(NamedTuple):
    """Timeouts of the stores, in seconds."""

    page: float = 1.75  # for all that a page asks of the database, its wait for a connection too
    grace: float = 0.2  # added for a page of a process that was stopped: its answer may have come
    open_pool: float = 10.0  # for a driver's own pool to open
    pool_connect: float = 2.0  # for a connection that a driver's own pool makes
    close: float = 2.0  # for the cleaning, or a driver's own pool, to end
    goodbye: float = 0.05  # for the database to read that a connection is closed
    schema: float = 15.0  # for the schema to be made and the stickers to be loaded
    cleaning: float = 10.0  # for one request of the cleaning


TIMEOUTS = timeouts(Timeouts, "STORE_TIMEOUTS")
