"""The body, the path and the page of a request in WSGI, whatever the framework."""

from __future__ import annotations

import asyncio
import io
from typing import Any

import pytest

from handlers.exchange import BODY_LIMIT, MOST_DROPPED, ClientLeft, Page, TooLarge, page
from handlers.web import wsgi


def read(body: bytes, length: str = "") -> bytes:
    return wsgi.read({"CONTENT_LENGTH": length}, io.BytesIO(body))


def test_a_body_is_read() -> None:
    assert read(b"abc", "3") == read(b"abc") == b"abc"


@pytest.mark.parametrize("length", ["-1", "x", "٣", "9" * 40])
def test_a_length_that_is_no_number_is_none(length: str) -> None:
    assert wsgi.length_of({"CONTENT_LENGTH": length}) == 0


def test_a_body_that_ends_early_is_none() -> None:
    with pytest.raises(ClientLeft):
        read(b"ab", "3")


def test_what_a_server_raises_for_a_body_is_the_clients_fault() -> None:
    class Malformed(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            raise OSError("no such chunk")

    with pytest.raises(ClientLeft):
        wsgi.read({}, Malformed())


def test_a_body_over_the_limit_is_read_to_a_bounded_end() -> None:
    with pytest.raises(TooLarge):
        read(b"a" * (BODY_LIMIT + 1))
    endless = io.BytesIO(b"a" * 2 * MOST_DROPPED)
    with pytest.raises(TooLarge):
        wsgi.read({}, endless)
    assert MOST_DROPPED <= endless.tell() <= MOST_DROPPED + BODY_LIMIT


@pytest.mark.parametrize(
    ("sent", "path"),
    [("/a%2Fb?c=/d", "/a%2Fb"), ("//good", "//good"), ("http://x/good?a", "/good"), ("*", "*")],
)
def test_the_path_is_as_it_was_sent(sent: str, path: str) -> None:
    assert wsgi.raw_path({"RAW_URI": sent}) == path


def test_a_page_runs_to_its_end_without_an_event_loop() -> None:
    async def step() -> bytes:
        return b"made"

    async def made() -> Page:
        return page(await step())

    assert wsgi.finished(made())[0] == b"made"


def test_a_page_that_suspends_is_a_defect() -> None:
    async def suspended() -> Any:
        await asyncio.sleep(0)

    with pytest.raises(RuntimeError, match="suspends"):
        wsgi.finished(suspended())
