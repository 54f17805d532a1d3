"""The site as an adapter sees it: routes to register, pages for what went wrong, start and end."""

from __future__ import annotations

import asyncio
import logging
import time
from typing import Any, Awaitable, Callable, Dict, List, NamedTuple, Optional, Union

from data_interface.history import fill
from data_interface.store import Busy, Conflict, NotFound, Store, StoreError, Unavailable
from handlers.api import Api, Refused, api_error
from handlers.counters import OwnCounters, SharedCounters
from handlers.exchange import BODY_LIMIT, Page, Visit
from handlers.pages import UGLY, Pages
from handlers.render.renderer import Renderer
from handlers.reports import Reports
from handlers.timeouts import TIMEOUTS
from runtime.clock import Clock

RETRY_AFTER = {"Retry-After": "2"}

Respond = Union[Callable[[Visit], Page], Callable[[Visit], Awaitable[Page]]]

_STATUS = {Unavailable: 503, Busy: 503, NotFound: 404, Conflict: 409}
_TITLES = {503: "One moment", 404: "Not found", 409: "Conflict", 500: "Our fault"}
_OUR_FAULT = "Something went wrong here, not with you."
# What a visitor is told of a database that is away: no place, no name of anything. The log has it.
AWAY = {
    Unavailable: "The database does not answer just now.",
    Busy: "Too many visitors want the database at once.",
}
MOST_LINES = 16

_log = logging.getLogger("site")


class Notes:
    """Log lines that every visitor could cause, each at most once in `TIMEOUTS.repeat` seconds."""

    def __init__(self) -> None:
        self._said: Dict[str, float] = {}

    def note(self, level: int, line: str) -> None:
        """Say it, unless it was said."""
        past = time.monotonic() - TIMEOUTS.repeat
        self._said = {said: when for said, when in self._said.items() if when > past}
        if line not in self._said and len(self._said) < MOST_LINES:
            self._said[line] = past + TIMEOUTS.repeat
            _log.log(level, "%s", line)


_notes = Notes()


class Route(NamedTuple):
    """A URL of the site.

    ``path`` has its parameters in braces, each a whole segment. Exactly one of the two is set:
    ``constant``, a text that never changes, for the framework's own plain answer; ``respond``, a
    function of the visit, a coroutine function where the page asks the database (``waits``). Where
    it raises, ``Site.failed`` has the answer.
    """

    method: str
    path: str
    respond: Optional[Respond] = None
    constant: Optional[str] = None
    waits: bool = False

    @property
    def takes_body(self) -> bool:
        """Whether a request's body is read: of those that change something."""
        return self.method not in ("GET", "DELETE")


class Settings(NamedTuple):
    """What whoever starts the site decides: its clock; the bearer token of changes, None for no
    changes; whether days without votes are given plausible ones.
    """

    clock: Clock
    token: Optional[str] = None
    history: bool = False


class Site:
    """Everything an adapter needs, made once, before the workers are; each opens it for itself."""

    def __init__(
        self, store: Store, renderer: Renderer, settings: Settings, workers: int = 1
    ) -> None:
        self._store = store
        self._settings = settings
        clock = settings.clock
        counters = OwnCounters() if workers == 1 else SharedCounters()
        self._pages = Pages(store, renderer, counters, clock)
        self._refreshing: Optional[asyncio.Future[None]] = None
        reports = Reports(store, renderer, clock)
        self.routes = _routes(self._pages, reports, Api(store, settings.token))

    async def open(self, lenient: bool = False, refresh: bool = True) -> None:
        """Open the store and keep the statistics fresh.

        ``lenient``: the database was there before, so go on when it is away just now.
        ``refresh``: this process does so for all workers.
        """
        try:
            await self._store.open()
        except StoreError as error:
            if not lenient:
                raise
            _log.warning("The database is away: %s", error)
        if refresh:
            if self._settings.history and not lenient:
                kept = await fill(self._store, self._settings.clock())
                _log.info("history: %d plausible votes added", kept)
            await self._pages.refresh_statistics()
            self._refreshing = asyncio.ensure_future(self._refresh())

    async def _refresh(self) -> None:
        while True:
            await asyncio.sleep(TIMEOUTS.refresh)
            await self._pages.refresh_statistics()

    async def close(self) -> None:
        """End the background work and every connection."""
        if self._refreshing is not None:
            self._refreshing.cancel()
        await self._store.close()

    def missing(self, method: str, path: str) -> Page:
        """The answer where no route fits: 404, or 405 with the methods that would."""
        allowed = {route.method for route in self.routes if _fits(route.path, path)}
        if not allowed:
            return self.error(path, 404, "Not found", "There is no such page.")
        if "GET" in allowed:
            allowed.add("HEAD")
        methods = ", ".join(sorted(allowed))
        message = f"This page answers {methods}."
        return self.error(path, 405, "Method not allowed", message, {"Allow": methods})

    def too_large(self, path: str) -> Page:
        """The answer to a body over BODY_LIMIT."""
        message = f"At most {BODY_LIMIT // 1024} KiB can be sent here."
        return self.error(path, 413, "Too large", message)

    def malformed(self, path: str) -> Page:
        """The answer to what is not HTTP."""
        return self.error(path, 400, "Bad request", "This request cannot be understood.")

    def closing(self, path: str) -> Page:
        """The answer to what came too late: the server is about to end."""
        return self.error(path, 503, _TITLES[503], "This server is about to end.", RETRY_AFTER)

    def failed(self, path: str, error: BaseException) -> Page:
        """The answer where a page raised that; ``path`` may be its route's.

        What a page or the database refuses is told its reader, a defect of ours is logged. A
        cancellation is raised again.
        """
        if isinstance(error, StoreError):
            return self._refused_by_store(path, error)
        if isinstance(error, Refused):
            return self.error(path, error.status, "", str(error), error.extra)
        if isinstance(error, asyncio.CancelledError):
            # The client is gone. An Exception on CPython 3.7, and no defect.
            try:
                raise error
            finally:
                # Its traceback has this frame: both would wait for the garbage collector.
                del error
        _log.error("%s failed", path, exc_info=error)
        return self.error(path, 500, _TITLES[500], _OUR_FAULT)

    def _refused_by_store(self, path: str, error: StoreError) -> Page:
        status = _STATUS.get(type(error), 500)
        if status < 500:
            return self.error(path, status, _TITLES[status], str(error))
        # What is said of the database itself is for the log, not for a visitor.
        if status == 500:
            _notes.note(logging.ERROR, str(error))
            return self.error(path, 500, _TITLES[500], _OUR_FAULT)
        # That too many come at once is what clients do.
        busy = isinstance(error, Busy)
        _notes.note(logging.INFO if busy else logging.WARNING, str(error))
        return self.error(path, 503, _TITLES[503], AWAY[type(error)], RETRY_AFTER)

    def error(self, path: str, status: int, title: str, message: str, extra: Any = None) -> Page:
        """An error as the reader of that path expects it: JSON under /stickers, else a page."""
        if path == "/stickers" or path.startswith("/stickers/"):
            return api_error(status, message, extra)
        return self._pages.error(status, title, message, extra)


def _routes(pages: Pages, reports: Reports, api: Api) -> List[Route]:
    return [
        Route("GET", "/ugly", constant=UGLY),
        Route("GET", "/", pages.index, waits=True),
        Route("POST", "/", pages.vote, waits=True),
        Route("GET", "/good", pages.top(best=True), waits=True),
        Route("GET", "/bad", pages.top(best=False), waits=True),
        Route("GET", "/about", pages.about),
        Route("GET", "/reports", pages.reports),
        Route("GET", "/reports/1", reports.today, waits=True),
        Route("GET", "/reports/2", reports.newest, waits=True),
        Route("GET", "/reports/3", reports.ratings, waits=True),
        Route("GET", "/reports/4", reports.ranking, waits=True),
        Route("GET", "/reports/5", reports.voters, waits=True),
        Route("GET", "/pictures/{name}", pages.picture),
        Route("GET", "/static/{name}", pages.static),
        Route("GET", "/stickers", api.packs, waits=True),
        Route("POST", "/stickers", api.create_pack, waits=True),
        Route("GET", "/stickers/{pack}", api.pack, waits=True),
        Route("PUT", "/stickers/{pack}", api.rename_pack, waits=True),
        Route("DELETE", "/stickers/{pack}", api.delete_pack, waits=True),
        Route("POST", "/stickers/{pack}", api.create_sticker, waits=True),
        Route("GET", "/stickers/{pack}/{sticker}", api.sticker, waits=True),
        Route("PUT", "/stickers/{pack}/{sticker}", api.rename_sticker, waits=True),
        Route("DELETE", "/stickers/{pack}/{sticker}", api.delete_sticker, waits=True),
    ]


def _fits(pattern: str, path: str) -> bool:
    """Whether a path is one of the pattern's: equal segments, any text for a parameter."""
    wanted, given = pattern.split("/"), path.split("/")
    if len(wanted) != len(given):
        return False
    return all(a == b or (a.startswith("{") and b) for a, b in zip(wanted, given))
