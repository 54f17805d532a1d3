"""PostgreSQL for applications that block: its URL, and Index and Good through psycopg's pool."""

from __future__ import annotations

import asyncio
import os
from typing import Any

from psycopg.errors import QueryCanceled
from psycopg_pool import ConnectionPool, PoolTimeout

from data_interface.history import fill
from data_interface.postgres import statements
from data_interface.postgres.store import PAGES
from data_interface.sql.placeholders import statement_for
from data_interface.votes import store_of
from databases import find, private
from race.web.programs import site
from runtime.clock import clock

CONNECT_SECONDS = 5
TOP = 9
BEST, KEEP_TOKEN, TOUCH_SESSION = (
    statement_for(written).text
    for written in (statements.BEST, statements.KEEP_TOKEN, statements.TOUCH_SESSION)
)


def database() -> str:
    """Return the URL of DATABASE_URL or of the private database, with the site's schema in it.

    With SITE_HISTORY it has a month of votes. A hold on a private database ends with the process.
    """
    postgres = find("postgres")
    url = os.environ.get(postgres.url_variable) or private.join("postgres").url

    async def prepare() -> None:
        store = store_of("postgres", url)
        await store.open()
        try:
            if os.environ.get("SITE_HISTORY", "0") not in ("", "0"):
                await fill(store, clock()())
        finally:
            await store.close()

    asyncio.run(prepare())
    return url


def options(statement_seconds: float) -> dict[str, Any]:
    """Return the options of a connection whose statements end after so many seconds."""
    return {
        "application_name": PAGES.application_name,
        "connect_timeout": CONNECT_SECONDS,
        "options": f"-c search_path={PAGES.settings['search_path']} "
        f"-c statement_timeout={statement_seconds:g}s",
    }


class Pages:
    """Index and Good on a pool; both return the HTML and the session, or raise `site.TooLate`.

    With `limit`, a wait for a connection and a statement have a timeout, as psycopg's users set it.
    """

    def __init__(self, url: str, size: int, limit: bool) -> None:
        seconds = site.PAGE_SECONDS if limit else 0  # PostgreSQL takes 0 for no timeout
        settings = {"autocommit": True, **options(seconds)}
        self._pool = ConnectionPool(url, kwargs=settings, min_size=size, max_size=size, open=True)
        self._pool.wait()
        self._seconds = seconds or None

    def index(self, session: str | None, address: str, agent: str) -> tuple[str, str]:
        """Return Index and the session: nine requests, eight for a returning visitor."""
        try:
            with self._pool.connection(self._seconds) as db:
                left, right, plus, minus, session = ballot(db, session, address, agent)
        except (QueryCanceled, PoolTimeout) as error:
            raise site.TooLate from error
        return site.index_html(left, plus, right, minus), session

    def good(self, session: str | None, address: str, agent: str) -> tuple[str, str]:
        """Return Good and the session: three requests, two for a returning visitor."""
        try:
            with self._pool.connection(self._seconds) as db:
                stickers = db.execute(BEST, (TOP,)).fetchall()
                session = session or one(db, statements.NEW_ID)[0]
                touch(db, session, address, agent)
        except (QueryCanceled, PoolTimeout) as error:
            raise site.TooLate from error
        return site.top_template.render(stickers=stickers, best=True), session


def ballot(db: Any, session: str | None, address: str, agent: str) -> tuple[Any, ...]:
    """Return two stickers, their tokens and the session."""
    left = one(db, statements.RANDOM_STICKER)
    right = one(db, statements.RANDOM_STICKER)
    plus, minus = one(db, statements.NEW_ID)[0], one(db, statements.NEW_ID)[0]
    db.execute(statements.COUNT_VIEW)
    session = session or one(db, statements.NEW_ID)[0]
    while left[0] == right[0]:
        right = one(db, statements.RANDOM_STICKER)
    db.execute(KEEP_TOKEN, (plus, left[0], minus))
    db.execute(KEEP_TOKEN, (minus, right[0], plus))
    touch(db, session, address, agent)
    return left, right, plus, minus, session


def one(db: Any, statement: str) -> Any:
    """Return the only row of a statement."""
    return db.execute(statement).fetchone()


def touch(db: Any, session: str | None, address: str, agent: str) -> None:
    """Keep a session, or count one more visit of it."""
    db.execute(TOUCH_SESSION, (session, address, agent[: site.AGENT_LENGTH]))
