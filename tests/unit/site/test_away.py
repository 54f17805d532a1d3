"""The messages for a visitor and for the log when a page fails."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import weakref
from typing import Any

import pytest

from data_interface.store import Busy, Conflict, NotFound, StoreError, Unavailable
from handlers.api import ApiError
from handlers.exchange import HTML, JSON, Page
from handlers.refusals import AWAY, MOST_LINES, RepeatedLines
from handlers.site import Settings, Site
from tests.unit.site.test_pages import ToyVisit, form
from tests.unit.site.test_render import made

SECRET = "Cannot reach /srv/secret/s.sock at 10.0.0.1:3301"


class Away:
    """A store whose database is away."""

    def __init__(self, error: StoreError) -> None:
        self._error = error

    def acquire(self) -> Away:
        return self

    async def __aenter__(self) -> Any:
        raise self._error

    async def __aexit__(self, *error: object) -> None:
        """Never entered."""


def site_on(error: StoreError, token: str | None = None) -> Site:
    """A site whose database is away."""
    store: Any = Away(error)
    return Site(store, made("jinja"), Settings(lambda: 0, token))


def answers(error: StoreError) -> list[Page]:
    """Return the answers of all pages that ask the database and need no token.

    A manager's forms do not ask it before they know who asks.
    """
    site = site_on(error)
    asked = ToyVisit(params=("1", "1"), body=form("0" * 32, "1" * 32))
    pages = []
    for route in site.routes:
        managed = route.path.endswith(("/edit", "/delete"))
        if route.waits and not managed and (route.method == "GET" or route.path == "/"):
            respond: Any = route.respond
            with pytest.raises(StoreError) as raised:
                asyncio.run(respond(asked))
            pages.append(site.failed(route.path, raised.value))
    return pages


@pytest.mark.parametrize("kind", [Unavailable, Busy])
def test_no_page_says_where_the_database_is(
    kind: type[StoreError], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    # Another text for each, as the log says one and the same only once in a while.
    error = kind(f"{SECRET}, {kind.__name__}")
    pages = answers(error)
    assert len(pages) > 10
    for body, _, status, _, _ in pages:
        assert status == 503
        assert AWAY[kind].encode() in body
        assert b"secret" not in body
        assert b"3301" not in body
    assert [record.message for record in caplog.records] == [str(error)]


def test_what_a_page_refuses_is_told_its_reader(caplog: pytest.LogCaptureFixture) -> None:
    site = site_on(Busy(""))
    refused = site.failed("/stickers/{pack}", ApiError(401, "Who?", {"WWW-Authenticate": "Bearer"}))
    assert refused == (b'{"error": "Who?"}', JSON, 401, {"WWW-Authenticate": "Bearer"}, None)
    _, _, status, _, _ = site.failed("/stickers/{pack}", NotFound("There is no pack 7."))
    assert status == 404
    body, _, status, _, _ = site.failed("/", Conflict("That title is taken."))
    assert status == 409
    assert b"That title is taken." in body
    assert caplog.records == []


def test_a_defect_is_for_the_log(caplog: pytest.LogCaptureFixture) -> None:
    site, defect = site_on(Busy("")), KeyError(SECRET)
    for path, expected in (("/", HTML), ("/stickers/{pack}", JSON)):
        caplog.clear()
        body, kind, status, _, _ = site.failed(path, defect)
        assert (status, kind) == (500, expected)
        assert b"secret" not in body
        (record,) = caplog.records
        assert (record.message, record.exc_info) == (f"{path} failed", (KeyError, defect, None))


def test_a_cancellation_is_nothing_that_a_page_could_say() -> None:
    """A cancellation is raised again, and leaves nothing for the garbage collector."""
    site, error = site_on(Busy("")), asyncio.CancelledError()
    gone = weakref.ref(error)
    gc.disable()
    try:
        with contextlib.suppress(asyncio.CancelledError):
            site.failed("/", error)
        assert error.__traceback__ is not None
        del error
        assert gone() is None
    finally:
        gc.enable()


def test_the_log_says_a_thing_once_and_only_so_many(caplog: pytest.LogCaptureFixture) -> None:
    lines = RepeatedLines()
    for number in range(1000):
        lines.log(logging.WARNING, "away")
        lines.log(logging.WARNING, f"away {number}")
    assert len(caplog.records) == MOST_LINES
