"""The site on Sanic."""

from __future__ import annotations

import asyncio
import math
import socket
from typing import Any, Awaitable, Callable, Coroutine, Dict, Optional, Tuple

from sanic import Request, Sanic
from sanic.exceptions import SanicException
from sanic.response import HTTPResponse, text

from handlers.exchange import BODY_LIMIT, MANAGER, SESSION, SESSION_OPTIONS, Page
from handlers.site import Route, Site
from handlers.timeouts import TIMEOUTS
from handlers.web import access_log
from handlers.web.lifecycle import NewLoop, ignore, run
from handlers.web.listen import Listen
from handlers.web.sanic_internals import StrictProtocol, drain
from handlers.web.supervisor import Ready
from runtime.listen import BACKLOG

Handler = Callable[..., Coroutine[Any, Any, HTTPResponse]]


class SanicVisit:
    """The ``Visit`` of a request."""

    __slots__ = ("_params", "_request")

    def __init__(self, request: Request, params: Dict[str, str]) -> None:
        self._request = request
        self._params = params

    @property
    def session(self) -> Optional[str]:
        return self._request.cookies.get(SESSION)

    @property
    def manager(self) -> Optional[str]:
        return self._request.cookies.get(MANAGER)

    @property
    def address(self) -> str:
        return self._request.ip

    @property
    def agent(self) -> str:
        agent: str = self._request.headers.get("user-agent", "")
        return agent

    @property
    def authorization(self) -> Optional[str]:
        return self._request.headers.get("authorization")

    @property
    def query(self) -> str:
        return self._request.query_string

    @property
    def params(self) -> Tuple[str, ...]:
        return tuple(self._params.values())

    @property
    def body(self) -> bytes:
        return self._request.body


def to_response(page: Page) -> HTTPResponse:
    """Return a page as the framework sends it."""
    body, kind, status, extra, session = page
    response = HTTPResponse(body, status, kind.headers, kind.content_type)
    if extra:
        response.headers.update(extra)
    if session is not None:
        response.add_cookie(SESSION, session, secure=False, **SESSION_OPTIONS)
    return response


def handler(site: Site, route: Route) -> Handler:
    """Return the framework's handler for a route."""
    if route.constant is not None:
        plain = route.constant

        async def constant(request: Request) -> HTTPResponse:
            return text(plain)

        return constant

    respond: Any = route.respond

    async def handle(request: Request, **params: str) -> HTTPResponse:
        try:
            page = respond(SanicVisit(request, params))
            return to_response(await page if route.waits else page)
        except Exception as error:  # noqa: BLE001 (a defect of ours must not end the server)
            return to_response(site.failed(route.path, error))

    return handle


def application(site: Site) -> Sanic[Any, Any]:
    """Return the application with its routes."""
    app = Sanic("stickers", strict_slashes=True, configure_logging=False)
    app.config.update(
        {
            "REQUEST_MAX_SIZE": BODY_LIMIT,
            "KEEP_ALIVE_TIMEOUT": math.ceil(TIMEOUTS.idle),
            "ACCESS_LOG": False,
            "FALLBACK_ERROR_FORMAT": "text",
        }
    )

    def failed(request: Optional[Request], error: Exception) -> HTTPResponse:
        return to_response(error_page(site, request, error))

    app.error_handler.add(Exception, failed)
    if access_log.wanted():
        app.register_middleware(note, "response")
    for number, route in enumerate(site.routes):
        methods = ["GET", "HEAD"] if route.method == "GET" else [route.method]
        path = route.path.replace("{", "<").replace("}", ">")
        app.add_route(handler(site, route), path, methods, name=f"route{number}", unquote=True)
    return app


def note(request: Any, response: Any) -> None:
    """Write a response that is about to be sent into the access log."""
    path = request.raw_url.partition(b"?")[0].decode("latin-1")
    access_log.note(request.method, path, response.status)


def error_page(site: Site, request: Any, error: Exception) -> Page:
    """Return the page for an error of the framework."""
    try:
        method, path = request.method, request.path
    except AttributeError:
        # There is no request if its first line was unreadable, and no path if its URL has none.
        return site.malformed("")
    status = getattr(error, "status_code", 500)
    if status == 413:
        return site.too_large(path)
    # NONE is the method of an unreadable request. On CPython 3.7 a client that left comes here.
    if method == "NONE" or isinstance(error, asyncio.CancelledError):
        return site.malformed(path)
    # The router itself fails on a path such as "//".
    if status in (404, 405) or (request.route is None and not isinstance(error, SanicException)):
        return site.missing(method, path)
    if status < 500:
        return site.malformed(path)
    return site.failed(path, error)


def serve(site: Site, listen: Listen, loop: NewLoop, workers: int, ready: Ready) -> int:
    """Serve until a signal, and return the exit status."""

    async def start(sock: socket.socket) -> Callable[[], Awaitable[None]]:
        app = application(site)
        ignore("sanic.error", SanicException, asyncio.CancelledError)
        # As in Sanic's run(): without it, each response has an empty header "alt-svc".
        app.prepare(sock=sock, single_process=True, motd=False, access_log=False)
        server: Any = await app.create_server(
            sock=sock, protocol=StrictProtocol, return_asyncio_server=True, backlog=BACKLOG
        )
        await server.startup()
        await server.start_serving()
        return lambda: drain(server)

    return run(start, site, listen, loop, workers, ready)
