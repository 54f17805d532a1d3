"""``store.Store`` on any MySQL driver."""

from __future__ import annotations

from typing import Callable

from data_interface import HOUSEKEEPING
from data_interface.driver import Driver, address
from data_interface.mysql import upkeep
from data_interface.mysql.driver import Session
from data_interface.sql.store import Drivers, SqlStore, Upkeep

PAGES = Session("sticker-site", upkeep.DATABASE)
KEEPING = Session(HOUSEKEEPING, upkeep.DATABASE)
# The site's own database may have to be made.
FOUNDING = Session(HOUSEKEEPING, None)

NewDriver = Callable[[str, Session], Driver]


class MysqlStore(SqlStore):
    """See ``store.Store``."""

    def __init__(self, connection: str, url: str, size: int, new_driver: NewDriver) -> None:
        """``new_driver(url, session)`` makes a driver of ``data.Connection``s."""
        address("mysql", url)
        drivers = Drivers(*(new_driver(url, each) for each in (PAGES, FOUNDING, KEEPING)))
        super().__init__(
            connection, size, drivers, Upkeep(upkeep.create_schema, upkeep.choose, upkeep.clean)
        )
