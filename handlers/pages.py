"""The HTML pages of the site, written once for every web framework."""

from __future__ import annotations

import asyncio
import logging
import re
from typing import Awaitable, Callable, Dict, Optional

from data_interface.reports.rows import voter_of
from data_interface.store import AGENT_LENGTH, Store, Visitor
from data_interface.tries import Tries
from handlers.counters import OwnCounters
from handlers.exchange import (
    FOREVER,
    HTML,
    SVG,
    TEXT,
    Kind,
    Page,
    Visit,
    form_fields,
    page,
    redirect,
)
from handlers.pictures import picture
from handlers.render.renderer import Renderer
from handlers.render.static import static_files
from runtime.clock import Clock

TOP = 9
# Any positive 31-bit number has a picture, so new stickers have one too.
MOST_ID = 2**31 - 1

_ID = re.compile(r"[0-9a-f]{32}")
_PICTURE = re.compile(r"([1-9][0-9]{0,9})\.svg")
_NOTICES = {"voted=1": "counted", "voted=0": "refused"}

UGLY = "UGLY"


class Pages:
    """The HTML pages, their pictures and their style sheet."""

    def __init__(
        self, store: Store, renderer: Renderer, counters: OwnCounters, clock: Clock
    ) -> None:
        self._store = store
        self._clock = clock
        self._counters = counters
        self._renderer = renderer
        self._refreshing = Tries(logging.getLogger("site"), "refreshing the statistics")
        self._static = {
            name: page(body, Kind(mime.partition(";")[0], FOREVER))
            for name, (mime, body) in static_files().items()
        }

    async def index(self, visit: Visit) -> Page:
        """Show two stickers to choose between."""
        visitor = visitor_of(visit)
        known, _, _ = visitor
        notice = _NOTICES.get(visit.query)
        async with self._store.acquire() as data:
            ballot = await data.ballot(visitor)
        body = self._renderer.index(ballot, notice)
        return body, HTML, 200, None, None if known else ballot[0]

    def top(self, best: bool) -> Callable[[Visit], Awaitable[Page]]:
        """Return the page of the nine best stickers, or of the nine worst."""

        async def top(visit: Visit) -> Page:
            visitor = visitor_of(visit)
            known, _, _ = visitor
            async with self._store.acquire() as data:
                session, stickers = await data.podium(visitor, TOP, best)
            body = self._renderer.top(stickers, best)
            return body, HTML, 200, None, None if known else session

        return top

    async def vote(self, visit: Visit) -> Page:
        """Count a vote, then send the visitor to a fresh ballot."""
        try:
            form = form_fields(visit.body)
        except ValueError:
            return self.error(400, "Bad request", "This is not a form in UTF-8.")
        plus, minus = form.get("vote_plus", ""), form.get("vote_minus", "")
        if not (_ID.fullmatch(plus) and _ID.fullmatch(minus)):
            return self.error(400, "Bad request", "A vote carries the two tokens of a ballot.")
        session, _, _ = visitor_of(visit)
        voter, moment = voter_of(session), self._clock()
        async with self._store.acquire() as data:
            counted = await data.cast_vote(plus, minus, voter, moment)
        return redirect("/?voted=1" if counted else "/?voted=0")

    def reports(self, visit: Visit) -> Page:
        """Send the visitor to the first report."""
        return page(b"", TEXT, 302, {"Location": "/reports/1"})

    def about(self, visit: Visit) -> Page:
        """Show what this site is, and the statistics of a few seconds ago."""
        return page(self._renderer.about(self._counters.get()))

    def picture(self, visit: Visit) -> Page:
        """Return the picture of a sticker."""
        match = _PICTURE.fullmatch(visit.params[0])
        if match is None or int(match.group(1)) > MOST_ID:
            return self.error(404, "Not found", "There is no such picture.")
        return page(picture(int(match.group(1))), SVG)

    def static(self, visit: Visit) -> Page:
        """Return a style sheet, a script or an icon."""
        found = self._static.get(visit.params[0])
        return found or self.error(404, "Not found", "There is no such file.")

    def error(
        self, status: int, title: str, message: str, extra: Optional[Dict[str, str]] = None
    ) -> Page:
        """Return a page that says what went wrong."""
        return page(self._renderer.error(status, title, message), status=status, extra=extra)

    async def refresh_statistics(self) -> None:
        """Read the statistics, and keep the old ones if that fails."""
        try:
            async with self._store.acquire() as data:
                self._counters.put(await data.statistics())
            self._refreshing.succeeded()
        except asyncio.CancelledError:
            raise
        except Exception as error:  # noqa: BLE001 (the next reading may succeed)
            self._refreshing.failed(error)


def visitor_of(visit: Visit) -> Visitor:
    """Return the visitor, as text that every database takes; a wrong cookie is a new visitor's."""
    session = visit.session
    if session and not _ID.fullmatch(session):
        session = None
    agent = visit.agent[:AGENT_LENGTH]
    if not (agent.isascii() and agent.isprintable()):
        # PostgreSQL takes no NUL, and bytes that are not UTF-8 arrive as lone surrogates.
        agent = "".join(char if char.isprintable() else "?" for char in agent)
        agent = agent.encode()[:AGENT_LENGTH].decode(errors="ignore")
    return session or None, visit.address, agent
