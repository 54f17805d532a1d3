"""``store.Store`` on any PostgreSQL driver."""

from __future__ import annotations

from typing import Callable, Dict, NamedTuple

from data_interface import HOUSEKEEPING
from data_interface.driver import Driver, address
from data_interface.postgres import upkeep
from data_interface.sql.store import Drivers, SqlStore, Upkeep


class Session(NamedTuple):
    """What a connection is for: its name in the server's statistics."""

    application_name: str

    @property
    def settings(self) -> Dict[str, str]:
        """The server's settings for the connection, by name."""
        return {"application_name": self.application_name, "search_path": upkeep.SCHEMA}


PAGES = Session("sticker-site")
KEEPING = Session(HOUSEKEEPING)

NewDriver = Callable[[str, Session], Driver]


class PostgresStore(SqlStore):
    """See ``store.Store``."""

    def __init__(self, connection: str, url: str, size: int, new_driver: NewDriver) -> None:
        """``new_driver(url, session)`` makes a driver of ``data.Connection``s."""
        address("postgres", url)
        keeping = new_driver(url, KEEPING)
        super().__init__(
            connection,
            size,
            Drivers(new_driver(url, PAGES), keeping, keeping),
            Upkeep(upkeep.create_schema, upkeep.choose, upkeep.clean),
        )
