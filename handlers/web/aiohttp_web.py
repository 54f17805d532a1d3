"""The site on aiohttp."""

from __future__ import annotations

import socket
from http.cookies import CookieError
from typing import Any, Awaitable, Callable, Dict, Optional, Tuple

from aiohttp import web
from aiohttp.abc import AbstractAccessLogger
from aiohttp.http import HttpProcessingError

from handlers.exchange import BODY_LIMIT, SESSION, SESSION_OPTIONS, Page
from handlers.site import Route, Site
from handlers.timeouts import TIMEOUTS
from handlers.web import access_log
from handlers.web.lifecycle import NewLoop, finished, ignore, run
from handlers.web.listen import Listen
from handlers.web.supervisor import Ready
from runtime.listen import BACKLOG

# What a client can do, and aiohttp logs: it asserts that the client is still there in a task that
# begins a turn of the loop later. An assertion of a page's is no error of aiohttp's (`site`).
CLIENTS = (HttpProcessingError, ConnectionError, AssertionError)

Handler = Callable[[web.Request], Awaitable[web.Response]]


class Closing(Exception):
    """The rest of a request's body will never be read."""


class Bodies:
    """Bodies on their way: once aiohttp closes, it drops their rest, and waits for it anyway."""

    def __init__(self) -> None:
        self._on_their_way = 0
        self._closing = False

    async def read(self, request: web.Request) -> bytes:
        """The request's body; ``Closing`` when the rest of it would be dropped."""
        if self._closing and not request.content.is_eof():
            raise Closing
        if (request.content_length or 0) > BODY_LIMIT:
            # At once; aiohttp would read up to the limit first.
            raise web.HTTPRequestEntityTooLarge(BODY_LIMIT, request.content_length or 0)
        self._on_their_way += 1
        try:
            return await request.read()
        finally:
            self._on_their_way -= 1

    async def finish(self) -> None:
        """Wait for those on their way, in bounds; from now on begin no other."""
        await finished(lambda: not self._on_their_way)
        self._closing = True


class Asked:
    """``exchange.Visit`` of a request."""

    __slots__ = ("_request", "body")

    def __init__(self, request: web.Request, body: bytes) -> None:
        self._request = request
        self.body = body

    @property
    def session(self) -> Optional[str]:
        try:
            return self._request.cookies.get(SESSION)
        except CookieError:
            # Of aiohttp before 3.13, at a name of odd characters beside it.
            return None

    @property
    def address(self) -> str:
        return self._request.remote or ""

    @property
    def agent(self) -> str:
        return self._request.headers.get("User-Agent", "")

    @property
    def authorization(self) -> Optional[str]:
        return self._request.headers.get("Authorization")

    @property
    def query(self) -> str:
        return self._request.query_string

    @property
    def params(self) -> Tuple[str, ...]:
        return tuple(self._request.match_info.values())


def to_response(page: Page) -> web.Response:
    """A page as the framework sends it."""
    body, kind, status, extra, session = page
    headers = dict(kind.all_headers, **extra) if extra else kind.all_headers
    response = web.Response(status=status, body=body, headers=headers)
    if session is not None:
        response.set_cookie(SESSION, session, **SESSION_OPTIONS)
    return response


def handler(site: Site, route: Route, bodies: Bodies) -> Handler:
    """The framework's handler for a route."""
    if route.constant is not None:
        text = route.constant

        async def constant(request: web.Request) -> web.Response:
            return web.Response(text=text)

        return constant

    respond: Any = route.respond
    takes_body, waits = route.takes_body, route.waits

    async def handle(request: web.Request) -> web.Response:
        try:
            body = await bodies.read(request) if takes_body and request.can_read_body else b""
        except web.HTTPRequestEntityTooLarge:
            return to_response(site.too_large(request.path))
        except Closing:
            return to_response(site.closing(request.path))
        try:
            page = respond(Asked(request, body))
            return to_response(await page if waits else page)
        except Exception as error:  # noqa: BLE001 (a defect of ours must not end the server)
            return to_response(site.failed(route.path, error))

    return handle


def application(site: Site, bodies: Bodies) -> web.Application:
    """The route table."""
    app = web.Application(client_max_size=BODY_LIMIT)

    async def missing(request: web.Request) -> web.Response:
        # As it was sent: an escaped slash separates nothing.
        return to_response(site.missing(request.method, request.rel_url.raw_path))

    for route in site.routes:
        respond = handler(site, route, bodies)
        app.router.add_route(route.method, route.path, respond)
        if route.method == "GET":
            app.router.add_route("HEAD", route.path, respond)
    app.router.add_route("*", "/{path:.*}", missing)
    return app


class AccessLogger(AbstractAccessLogger):
    """aiohttp's access log in the form of ours."""

    def log(self, request: web.BaseRequest, response: web.StreamResponse, time: float) -> None:
        access_log.note(request.method, request.rel_url.raw_path, response.status)


def logged() -> Dict[str, Any]:
    """What a runner is told of its access log."""
    if not access_log.wanted():
        return {"access_log": None}
    return {"access_log": access_log.LOGGER, "access_log_class": AccessLogger}


def serve(site: Site, listen: Listen, loop: NewLoop, workers: int, ready: Ready) -> int:
    """Serve until a signal; the exit status."""

    async def start(sock: socket.socket) -> Callable[[], Awaitable[None]]:
        ignore("aiohttp.server", *CLIENTS)
        bodies = Bodies()
        runner = web.AppRunner(
            application(site, bodies),
            # aiohttp's own 10 s would hold up the end of a server that refuses a body.
            lingering_time=TIMEOUTS.linger,
            keepalive_timeout=TIMEOUTS.idle,
            # A few bytes can be the beginning of a body without an end.
            auto_decompress=False,
            **logged(),
        )
        await runner.setup()
        listening = web.SockSite(runner, sock, backlog=BACKLOG)
        await listening.start()

        async def finish() -> None:
            await listening.stop()
            await bodies.finish()
            await runner.cleanup()

        return finish

    return run(start, site, listen, loop, workers, ready)
