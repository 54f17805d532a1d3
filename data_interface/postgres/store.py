"""The store on any PostgreSQL driver."""

from __future__ import annotations

from functools import partial
from typing import Callable, Dict, NamedTuple, Optional

from data_interface import HOUSEKEEPING
from data_interface.connections import mode
from data_interface.driver import Driver, address
from data_interface.postgres import upkeep
from data_interface.postgres.upkeep import Layout
from data_interface.sql.store import Drivers, NewMode, SqlStore, Upkeep


class PostgresSession(NamedTuple):
    """The settings of a connection; its name tells in the server's statistics what it is for."""

    application_name: str
    schema: str = upkeep.SCHEMA

    @property
    def settings(self) -> Dict[str, str]:
        """Return the server's settings for the connection, by name."""
        return {"application_name": self.application_name, "search_path": self.schema}


PAGES = PostgresSession("sticker-site")
UPKEEP = PostgresSession(HOUSEKEEPING)

NewDriver = Callable[[str, PostgresSession], Driver]


class PostgresStore(SqlStore):
    """A store on PostgreSQL, in one of its layouts."""

    def __init__(
        self,
        connection: str,
        url: str,
        size: int,
        new_driver: NewDriver,
        layout: Layout = upkeep.COLUMNS,
        new_background_driver: Optional[NewDriver] = None,
        new_mode: NewMode = mode,
    ) -> None:
        """Take `new_driver`, which returns a driver of ``sql.data.Connection``.

        Where the pages run in threads, `new_background_driver` returns one for an event loop.
        """
        address("postgres", url)
        background = (new_background_driver or new_driver)(
            url, UPKEEP._replace(schema=layout.schema)
        )
        super().__init__(
            connection,
            size,
            Drivers(new_driver(url, PAGES._replace(schema=layout.schema)), background, background),
            Upkeep(
                partial(upkeep.create_schema, layout),
                partial(upkeep.choose, layout),
                partial(upkeep.clean, layout),
            ),
            new_mode,
        )
