"""The site on aiohttp."""

from __future__ import annotations

import socket
from http.cookies import CookieError
from typing import Any, Awaitable, Callable, Dict, Optional, Tuple

from aiohttp import web
from aiohttp.abc import AbstractAccessLogger
from aiohttp.http import HttpProcessingError, HttpVersion11

from handlers.exchange import BODY_LIMIT, MANAGER, SESSION, SESSION_OPTIONS, Page
from handlers.site import Route, Site
from handlers.timeouts import TIMEOUTS
from handlers.web import access_log
from handlers.web.aiohttp_internals import limit_waiting_requests
from handlers.web.lifecycle import NewLoop, finished, ignore, run
from handlers.web.listen import Listen
from handlers.web.supervisor import Ready
from runtime.listen import BACKLOG

# Errors that clients cause and aiohttp logs. It asserts that the client is still there in a task
# that starts a turn of the loop later; an AssertionError of a page never reaches aiohttp.
CLIENT_ERRORS = (HttpProcessingError, ConnectionError, AssertionError)

Handler = Callable[[web.Request], Awaitable[web.Response]]


class Closing(Exception):
    """The server ends, and the rest of a request's body will not be read."""


class Bodies:
    """The request bodies that are arriving.

    When aiohttp closes, it drops the rest of a body and still waits for it, so we wait before.
    """

    def __init__(self) -> None:
        self._arriving = 0
        self._closing = False

    async def read(self, request: web.Request) -> bytes:
        """Return the body of a request; raise `Closing` if aiohttp would drop the rest of it."""
        if self._closing and not request.content.is_eof():
            raise Closing
        if (request.content_length or 0) > BODY_LIMIT:
            # At once, where aiohttp would read up to the limit first.
            raise web.HTTPRequestEntityTooLarge(BODY_LIMIT, request.content_length or 0)
        self._arriving += 1
        try:
            return await request.read()
        finally:
            self._arriving -= 1

    async def finish(self) -> None:
        """Wait for the bodies that are arriving, for a limited time, and accept no more."""
        await finished(lambda: not self._arriving)
        self._closing = True


class AiohttpVisit:
    """The ``Visit`` of a request."""

    __slots__ = ("_request", "body")

    def __init__(self, request: web.Request, body: bytes) -> None:
        self._request = request
        self.body = body

    @property
    def session(self) -> Optional[str]:
        return self._cookie(SESSION)

    @property
    def manager(self) -> Optional[str]:
        return self._cookie(MANAGER)

    def _cookie(self, name: str) -> Optional[str]:
        try:
            return self._request.cookies.get(name)
        except CookieError:
            # aiohttp before 3.13 raises it for odd characters in the name of another cookie.
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
    """Return a page as the framework sends it."""
    body, kind, status, extra, session = page
    headers = dict(kind.all_headers, **extra) if extra else kind.all_headers
    response = web.Response(status=status, body=body, headers=headers)
    if session is not None:
        response.set_cookie(SESSION, session, **SESSION_OPTIONS)
    return response


def handler(site: Site, route: Route, bodies: Bodies) -> Handler:
    """Return the framework's handler for a route."""
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
            page = respond(AiohttpVisit(request, body))
            return to_response(await page if waits else page)
        except Exception as error:  # noqa: BLE001 (a defect of ours must not end the server)
            return to_response(site.failed(route.path, error))

    return handle


def expecting(site: Site) -> Callable[[web.Request], Awaitable[None]]:
    """Return the function that answers the header Expect before a handler is called."""

    async def expect(request: web.Request) -> None:
        """Tell a client to go on that waits for that (``100-continue``), and refuse the others.

        aiohttp repeats another expectation in its answer, and fails where it is not UTF-8.
        """
        if request.version < HttpVersion11:
            return
        if request.headers["Expect"].lower() != "100-continue":
            message = "Nothing can be expected here but 100-continue."
            body, kind, *_ = site.error(request.path, 417, "Expectation failed", message)
            raise web.HTTPExpectationFailed(text=body.decode(), headers=kind.all_headers)
        if request.transport is not None:
            request.transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")

    return expect


def application(site: Site, bodies: Bodies) -> web.Application:
    """Return the application with its routes."""
    app = web.Application(client_max_size=BODY_LIMIT)
    expect = expecting(site)

    async def missing(request: web.Request) -> web.Response:
        # The path as it was sent, because an escaped slash does not separate segments.
        return to_response(site.missing(request.method, request.rel_url.raw_path))

    def add(method: str, path: str, respond: Handler) -> None:
        app.router.add_route(method, path, respond, expect_handler=expect)

    for route in site.routes:
        respond = handler(site, route, bodies)
        add(route.method, route.path, respond)
        if route.method == "GET":
            add("HEAD", route.path, respond)
    add("*", "/{path:.*}", missing)
    return app


class AccessLogger(AbstractAccessLogger):
    """Writes aiohttp's access log in our form."""

    def log(self, request: web.BaseRequest, response: web.StreamResponse, time: float) -> None:
        access_log.note(request.method, request.rel_url.raw_path, response.status)


def logged() -> Dict[str, Any]:
    """Return the options of a runner for its access log."""
    if not access_log.wanted():
        return {"access_log": None}
    return {"access_log": access_log.LOGGER, "access_log_class": AccessLogger}


def serve(site: Site, listen: Listen, loop: NewLoop, workers: int, ready: Ready) -> int:
    """Serve until a signal, and return the exit status."""

    async def start(sock: socket.socket) -> Callable[[], Awaitable[None]]:
        ignore("aiohttp.server", *CLIENT_ERRORS)
        limit_waiting_requests()
        bodies = Bodies()
        runner = web.AppRunner(
            application(site, bodies),
            # aiohttp's own 10 s would hold up the end of a server that refuses a body.
            lingering_time=TIMEOUTS.linger,
            keepalive_timeout=TIMEOUTS.idle,
            # A few compressed bytes can become a body without an end.
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
