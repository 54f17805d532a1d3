"""The body of a request in ASGI, whatever the framework."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from handlers import exchange
from handlers.exchange import BODY_LIMIT, MOST_DROPPED, ClientLeft, TooLarge
from handlers.web import asgi


def read(parts: list[bytes], length: int | None = None) -> bytes:
    async def chunks() -> AsyncIterator[bytes]:
        for part in parts:
            yield part

    headers = [] if length is None else [(b"content-length", b"%d" % length)]
    return asyncio.run(exchange.read(chunks(), asgi.length_of({"headers": headers})))


def test_a_body_is_joined() -> None:
    assert read([b"ab", b"", b"c"], 3) == read([b"abc"]) == b"abc"


def test_a_body_that_ends_early_is_none() -> None:
    with pytest.raises(ClientLeft):
        read([b"ab"], 3)


def test_a_body_over_the_limit_is_read_to_a_bounded_end() -> None:
    with pytest.raises(TooLarge):
        read([b"a" * (BODY_LIMIT + 1)])
    seen: list[int] = []

    async def endless() -> AsyncIterator[bytes]:
        while True:
            seen.append(BODY_LIMIT)
            yield b"a" * BODY_LIMIT

    with pytest.raises(TooLarge):
        asyncio.run(exchange.read(endless(), 0))
    assert sum(seen) == MOST_DROPPED
