"""The site as an adapter sees it: its routes, its error pages, its start and its end."""

from __future__ import annotations

import asyncio
import inspect
import logging
from typing import Any, Awaitable, Callable, List, NamedTuple, Optional, Union

from data_interface.history import fill
from data_interface.store import Store, StoreError
from handlers.api import Api, ApiError, api_error
from handlers.counters import OwnCounters, SharedCounters
from handlers.exchange import BODY_LIMIT, Page, Visit
from handlers.manage import responses
from handlers.pages import UGLY, Pages
from handlers.refusals import OUR_FAULT, RETRY_AFTER, TITLES, refusal
from handlers.render.renderer import Renderer
from handlers.reports import QUESTIONS, report
from handlers.timeouts import TIMEOUTS
from runtime.clock import Clock

Respond = Union[Callable[[Visit], Page], Callable[[Visit], Awaitable[Page]]]

_log = logging.getLogger("site")


class Route(NamedTuple):
    """A URL of the site.

    ``path`` has its parameters in braces, each a whole segment. Either ``constant`` is set, a text
    for the framework's own plain response, or ``respond``, a function of the visit. ``respond`` is
    a coroutine function where the page asks the database (``waits``), and an adapter answers what
    it raises with ``Site.failed``.
    """

    method: str
    path: str
    respond: Optional[Respond] = None
    constant: Optional[str] = None
    waits: bool = False

    @property
    def takes_body(self) -> bool:
        """Return whether the body of a request is read, which only requests for a change have."""
        return self.method not in ("GET", "DELETE")


class Settings(NamedTuple):
    """The choices of the user who starts the site."""

    clock: Clock
    token: Optional[str] = None  # which changes need; None allows no changes
    history: bool = False  # whether days without votes get plausible ones


class Site:
    """The site as an adapter uses it. It is made before the workers, and each opens it."""

    def __init__(
        self, store: Store, renderer: Renderer, settings: Settings, workers: int = 1
    ) -> None:
        self._store = store
        self._settings = settings
        clock = settings.clock
        counters = OwnCounters() if workers == 1 else SharedCounters()
        self._pages = Pages(store, renderer, counters, clock)
        self._refreshing: Optional[asyncio.Future[None]] = None
        self.routes = _routes(self._pages, Api(store, settings.token))
        for number, ask in enumerate(QUESTIONS, 1):
            respond = report(ask, store, renderer, clock)
            self.routes.append(Route("GET", f"/reports/{number}", respond, waits=True))
        for method, path, manage in responses(store, renderer, settings.token):
            waits = inspect.iscoroutinefunction(manage)
            self.routes.append(Route(method, path, manage, waits=waits))

    async def open(self, lenient: bool = False, refresh: bool = True) -> None:
        """Open the store, and begin to refresh the statistics.

        With ``lenient``, go on when the database is away: it was there when the server started.
        With ``refresh``, this process reads the statistics for all workers.
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
        """Stop the background work, and close every connection."""
        if self._refreshing is not None:
            self._refreshing.cancel()
            await asyncio.wait([self._refreshing], timeout=TIMEOUTS.cancel)
        await self._store.close()

    def missing(self, method: str, path: str) -> Page:
        """Return the page for a request without a route: 404, or 405 and the right methods."""
        allowed = {route.method for route in self.routes if _fits(route.path, path)}
        if not allowed:
            return self.error(path, 404, "Not found", "There is no such page.")
        if "GET" in allowed:
            allowed.add("HEAD")
        methods = ", ".join(sorted(allowed))
        message = f"This page answers {methods}."
        return self.error(path, 405, "Method not allowed", message, {"Allow": methods})

    def too_large(self, path: str) -> Page:
        """Return the page for a body over BODY_LIMIT."""
        message = f"At most {BODY_LIMIT // 1024} KiB can be sent here."
        return self.error(path, 413, "Too large", message)

    def malformed(self, path: str) -> Page:
        """Return the page for a request that is not HTTP."""
        return self.error(path, 400, "Bad request", "This request cannot be understood.")

    def closing(self, path: str) -> Page:
        """Return the page for a request that arrives while the server ends."""
        return self.error(path, 503, TITLES[503], "This server is about to end.", RETRY_AFTER)

    def failed(self, path: str, error: BaseException) -> Page:
        """Return the page for an error that a page raised; ``path`` may be that of its route.

        The reader is told what a page or the database refused. A defect of ours is logged. A
        cancellation is raised again.
        """
        if isinstance(error, StoreError):
            return self.error(path, *refusal(error))
        if isinstance(error, ApiError):
            return self.error(path, error.status, "", str(error), error.extra)
        if isinstance(error, asyncio.CancelledError):
            # The client left, which is no defect, though an Exception on CPython 3.7.
            try:
                raise error
            finally:
                # The traceback refers to this frame, and both would wait for the garbage collector.
                del error
        _log.error("%s failed", path, exc_info=error)
        return self.error(path, 500, TITLES[500], OUR_FAULT)

    def error(self, path: str, status: int, title: str, message: str, extra: Any = None) -> Page:
        """Return an error in the form that the path stands for: JSON under /stickers, else HTML."""
        if path == "/stickers" or path.startswith("/stickers/"):
            return api_error(status, message, extra)
        return self._pages.error(status, title, message, extra)


def _routes(pages: Pages, api: Api) -> List[Route]:
    return [
        Route("GET", "/ugly", constant=UGLY),
        Route("GET", "/", pages.index, waits=True),
        Route("POST", "/", pages.vote, waits=True),
        Route("GET", "/good", pages.top(best=True), waits=True),
        Route("GET", "/bad", pages.top(best=False), waits=True),
        Route("GET", "/about", pages.about),
        Route("GET", "/reports", pages.reports),
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
    """Return whether the path has the pattern's segments, with any text for a parameter."""
    wanted, given = pattern.split("/"), path.split("/")
    if len(wanted) != len(given):
        return False
    return all(a == b or (a.startswith("{") and b) for a, b in zip(wanted, given))
