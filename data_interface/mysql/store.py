"""The store on any MySQL driver."""

from __future__ import annotations

from typing import Callable

from data_interface import HOUSEKEEPING
from data_interface.driver import Driver, address
from data_interface.mysql import upkeep
from data_interface.mysql.driver import MysqlSession
from data_interface.sql.store import Drivers, SqlStore, Upkeep

PAGES = MysqlSession("sticker-site", upkeep.DATABASE)
UPKEEP = MysqlSession(HOUSEKEEPING, upkeep.DATABASE)
# Without a database, since that may have to be made first.
SETUP = MysqlSession(HOUSEKEEPING, None)

NewDriver = Callable[[str, MysqlSession], Driver]


class MysqlStore(SqlStore):
    """A store on MariaDB."""

    def __init__(self, connection: str, url: str, size: int, new_driver: NewDriver) -> None:
        """Take `new_driver`, which returns a driver of ``sql.data.Connection``."""
        address("mysql", url)
        drivers = Drivers(*(new_driver(url, each) for each in (PAGES, SETUP, UPKEEP)))
        super().__init__(
            connection, size, drivers, Upkeep(upkeep.create_schema, upkeep.choose, upkeep.clean)
        )
