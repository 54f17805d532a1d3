"""The connection to Tarantool through asynctnt, and Jinja's templates, for all applications."""

from __future__ import annotations

import argparse
import asyncio
import os
import time
from collections.abc import Awaitable, Callable
from typing import Any

import asynctnt

from data_interface.tarantool import layout
from databases import find, private
from race.web.programs.templates import environment
from runtime.arguments import Parser, port

try:
    from asyncio import timeout
except ImportError:  # before CPython 3.11
    from async_timeout import timeout  # type: ignore[assignment]

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}
TOKEN_SECONDS = 600
PAGE_SECONDS = 1.75  # with --limit, as the site gives a page
TooLate = asyncio.TimeoutError
LATE = "The database did not answer in time."
AGENT_LENGTH = 200


templates = environment()
index_template = templates.get_template("index.html")
top_template = templates.get_template("top.html")


async def connect() -> Any:
    """Return a connection to TARANTOOL_URL, or to the private database, with the stickers in it."""
    # The hold on a private database ends with this process.
    tarantool = find("tarantool")
    url = os.environ.get(tarantool.url_variable) or private.join("tarantool").url
    where = tarantool.address(url)
    connection = asynctnt.Connection(
        host="unix/" if where.path else where.host,
        port=where.path or where.port,
        username=where.user,
        password=where.password,
        ping_timeout=0,
    )
    await connection.connect()
    await layout.prepare(connection)
    return connection


async def index(db: Any, session: str | None, address: str, agent: str) -> tuple[str, str]:
    """Return Index and the session: nine requests, eight for a returning visitor."""
    requests = [
        db.call("site_random_sticker"),
        db.call("site_random_sticker"),
        db.call("site_new_id"),
        db.call("site_new_id"),
        db.update(layout.COUNTERS, ["views"], [["+", 1, 1]]),
    ]
    if session is None:
        requests.append(db.call("site_new_id"))
    left, right, one, other, _, *new = [(await request)[0] for request in requests]
    while left[0] == right[0]:
        right = (await db.call("site_random_sticker"))[0]
    session = session or new[0][0]
    (plus, now), (minus, later) = one, other
    requests = [
        db.insert(layout.TOKENS, [plus, left[0], minus, now + TOKEN_SECONDS]),
        db.insert(layout.TOKENS, [minus, right[0], plus, later + TOKEN_SECONDS]),
        touch(db, session, address, agent),
    ]
    for request in requests:
        await request
    return index_html(left, plus, right, minus), session


def index_html(left: Any, plus: str, right: Any, minus: str) -> str:
    """Return Index with two stickers and their tokens."""
    html: str = index_template.render(
        plus=plus,
        minus=minus,
        left_id=left[0],
        left=left[2],
        right_id=right[0],
        right=right[2],
        notice=None,
    )
    return html


async def good(db: Any, session: str | None, address: str, agent: str) -> tuple[str, str]:
    """Return Good and the session: three requests, two for a returning visitor."""
    ranked = db.select(
        layout.STICKERS, [], index=layout.BY_RATING, iterator=layout.DESCENDING, limit=9
    )
    if session is None:
        new = db.call("site_new_id")
        stickers = await ranked
        session = (await new)[0][0]
        await touch(db, session, address, agent)
    else:
        touched = touch(db, session, address, agent)
        stickers = await ranked
        await touched
    return top_template.render(stickers=stickers, best=True), session


def touch(db: Any, session: str, address: str, agent: str) -> Any:
    """Keep a session, or count one more visit of it."""
    now, agent = int(time.time()), agent[:AGENT_LENGTH]
    changes = [["=", 1, address], ["=", 2, agent], ["+", 3, 1], ["=", 4, now]]
    return db.upsert(layout.SESSIONS, [session, address, agent, 1, now], changes)


def session_in(header: str) -> str | None:
    """Return the session in a header Cookie, None without one."""
    cookies = (one.strip().partition("=") for one in header.split(";"))
    return next((text for key, _, text in cookies if key == "session"), None)


def limited(
    make: Callable[..., Awaitable[tuple[str, str]]],
) -> Callable[..., Awaitable[tuple[str, str]]]:
    """Return the page with a timeout, as its author would set one; then `TooLate` is raised."""

    async def page(*arguments: Any) -> tuple[str, str]:
        async with timeout(PAGE_SECONDS):
            return await make(*arguments)

    return page


def parser(text: str | None) -> Parser:
    """Return the parser of the arguments that all applications take."""
    made = Parser(description=text)
    made.add_argument("-p", "--port", type=port, default=1717, help="0: a free one")
    limit = "answer 503 where the database takes longer than the site would wait"
    made.add_argument("--limit", action="store_true", help=limit)
    return made


def parsed(made: Parser) -> argparse.Namespace:
    """Return the arguments, with `index` and `good`: the two pages, with --limit limited."""
    given = made.parse_args()
    given.index, given.good = (limited(index), limited(good)) if given.limit else (index, good)
    return given


def arguments() -> argparse.Namespace:
    """Return the arguments of an application that takes no others."""
    return parsed(parser(__doc__))
