"""What a database counts itself, so that requests and votes are not taken on the server's word."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from race.databases import Databases
from race.errors import CellFailed
from race.load import Sample

SECONDS = 5.0
POSTGRES_VOTES = "SELECT sum(value) FROM sticker_site.counters WHERE name = 'votes'"


@dataclass(frozen=True)
class Counts:
    """Requests that reached the database since it started, votes in it; None where not counted."""

    requests: int | None = None
    votes: int | None = None


def read(databases: Databases, name: str | None, page: str) -> Counts:
    """Ask the database; CellFailed when it does not answer.

    PostgreSQL counts transactions, and publishes them with a delay of seconds: no requests there.
    """
    url = databases.url(name) if name else None
    if url is None:
        return Counts()
    try:
        if name == "tarantool":
            return asyncio.run(asyncio.wait_for(_tarantool(url), SECONDS))
        if name == "postgres" and page == "vote":
            return asyncio.run(asyncio.wait_for(_postgres(url), SECONDS))
    except Exception as error:  # noqa: BLE001 - each driver has an error tree of its own
        raise CellFailed(f"{name} did not answer: {type(error).__name__} {error}") from None
    return Counts()


def per_page(before: Counts, after: Counts, sample: Sample) -> float | None:
    """Database requests for each page, the harness's own left out."""
    if before.requests is None or after.requests is None or not sample.requests:
        return None
    return (after.requests - before.requests - OWN_REQUESTS) / sample.requests


def check_votes(before: Counts, after: Counts, sample: Sample) -> None:
    """Acknowledged votes against the database's own change; CellFailed when they do not agree.

    A vote whose answer was cut off may or may not have been counted.
    """
    if sample.votes is None or before.votes is None or after.votes is None:
        return
    change = after.votes - before.votes
    sure = sample.votes["acknowledged"]
    most = sure + sample.votes["unanswered"]
    if not sure <= change <= most:
        raise CellFailed(f"{sure} to {most} votes were acknowledged, the database counted {change}")


OWN_REQUESTS = 3
"""What one reading adds before the next: its second call, and the sign-on of the connection."""


async def _tarantool(url: str) -> Counts:
    import asynctnt

    parts = urlsplit(url)
    host, port = (parts.hostname, parts.port) if parts.hostname else ("unix/", unquote(parts.path))
    connection = asynctnt.Connection(
        host=host, port=port, username=parts.username, password=parts.password,
        reconnect_timeout=0, connect_timeout=SECONDS, request_timeout=SECONDS,
    )  # fmt: skip
    await connection.connect()
    try:
        requests = (await connection.call("site_requests"))[0][0]
        statistics = (await connection.call("site_statistics"))[0]
    finally:
        await connection.disconnect()
    return Counts(int(requests), int(statistics[-1]))


async def _postgres(url: str) -> Counts:
    import asyncpg

    connection = await asyncpg.connect(url, timeout=SECONDS)
    try:
        return Counts(votes=int(await connection.fetchval(POSTGRES_VOTES)))
    finally:
        await connection.close()
