"""PostgreSQL with one JSONb column for each table, through asyncpg: the sticker article's layout.

SITE_JSONB names one of the steps in which the article came to it; the last one is the default.
"""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

from data_interface.postgres.asyncpg_store import AsyncpgConnection, AsyncpgDriver
from data_interface.postgres.data import PostgresData
from data_interface.postgres.jsonb import statements
from data_interface.postgres.store import PostgresSession, PostgresStore
from data_interface.postgres.upkeep import CLEANING_LOCK, COLUMNS, Layout
from data_interface.store import Data, StoreError

STEP = "SITE_JSONB"
SCHEMA = "sticker_site_json"

LAYOUT = Layout(
    schema=SCHEMA,
    script=Path(__file__).with_name("schema.sql").read_text(encoding="utf-8"),
    cleaning_lock=CLEANING_LOCK + 1,
    load_packs=statements.LOAD_PACKS,
    load_stickers=statements.LOAD_STICKERS,
    after_loading=COLUMNS.after_loading.replace("packs, stickers", "packs_json, stickers_json"),
    forget=statements.FORGET,
    ahead_sessions=statements.AHEAD_SESSIONS,
)
# The article's first index sorts ratings as texts, which is no help in sorting them as numbers.
UNMENDED = LAYOUT._replace(
    schema=f"{SCHEMA}_text",
    script=LAYOUT.script.replace("btree (((data ->> 1)::int))", "btree ((data ->> 1))").replace(
        SCHEMA, f"{SCHEMA}_text"
    ),
    cleaning_lock=CLEANING_LOCK + 2,
)


class Step(NamedTuple):
    """One step of the article: the statements, whether they are prepared, and the layout."""

    sql: Any
    prepared: bool
    layout: Layout


FIRST = SimpleNamespace(
    **{
        **vars(statements),
        "RANDOM_STICKER": statements.FIRST_RANDOM_STICKER,
        "TOUCH_SESSION": statements.FIRST_TOUCH_SESSION,
    }
)
STEPS = {
    "first": Step(FIRST, False, UNMENDED),
    "rewritten": Step(statements, False, UNMENDED),
    "prepared": Step(statements, True, UNMENDED),
    "mended": Step(statements, True, LAYOUT),
}


def open_store(connection: str, url: str, size: int) -> PostgresStore:
    """Return the store at a ``postgresql://`` URL in one of the connection modes."""
    name = os.environ.get(STEP) or "mended"
    if name not in STEPS:
        raise StoreError(f"{STEP}={name}: must be one of {', '.join(STEPS)}")
    step = STEPS[name]
    return PostgresStore(connection, url, size, partial(JsonbDriver, step), step.layout)


class JsonbData(PostgresData):
    """Answers a page by the statements of a step."""

    def __init__(self, connection: AsyncpgConnection, sql: Any) -> None:
        super().__init__(connection)
        self._sql = sql


class JsonbDriver(AsyncpgDriver):
    """asyncpg for this layout; by default it prepares and caches every statement."""

    def __init__(self, step: Step, url: str, session: PostgresSession) -> None:
        super().__init__(url, session)
        self._sql = step.sql
        if not step.prepared:
            self.arguments[1]["statement_cache_size"] = 0

    def data(self, connection: AsyncpgConnection) -> Data:
        return JsonbData(connection, self._sql)
