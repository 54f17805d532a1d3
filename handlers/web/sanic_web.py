"""The site on Sanic."""

from __future__ import annotations

import asyncio
import math
import socket
from typing import Any, Awaitable, Callable, Coroutine, Dict, Optional, Tuple

from sanic import Request, Sanic
from sanic import __version__ as sanic_version
from sanic.exceptions import BadRequest, SanicException
from sanic.http import Http
from sanic.response import HTTPResponse, text

from handlers.exchange import BODY_LIMIT, SESSION, SESSION_OPTIONS, Page
from handlers.site import Route, Site
from handlers.timeouts import TIMEOUTS
from handlers.web import access_log
from handlers.web.lifecycle import NewLoop, finished, ignore, run
from handlers.web.listen import Listen
from handlers.web.supervisor import Ready
from runtime.listen import BACKLOG

Handler = Callable[..., Coroutine[Any, Any, HTTPResponse]]


class Asked:
    """``exchange.Visit`` of a request."""

    __slots__ = ("_params", "_request")

    def __init__(self, request: Request, params: Dict[str, str]) -> None:
        self._request = request
        self._params = params

    @property
    def session(self) -> Optional[str]:
        return self._request.cookies.get(SESSION)

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
    """A page as the framework sends it."""
    body, kind, status, extra, session = page
    response = HTTPResponse(body, status, kind.headers, kind.content_type)
    if extra:
        response.headers.update(extra)
    if session is not None:
        response.add_cookie(SESSION, session, secure=False, **SESSION_OPTIONS)
    return response


def handler(site: Site, route: Route) -> Handler:
    """The framework's handler for a route."""
    if route.constant is not None:
        plain = route.constant

        async def constant(request: Request) -> HTTPResponse:
            return text(plain)

        return constant

    respond: Any = route.respond

    async def handle(request: Request, **params: str) -> HTTPResponse:
        try:
            page = respond(Asked(request, params))
            return to_response(await page if route.waits else page)
        except Exception as error:  # noqa: BLE001 (a defect of ours must not end the server)
            return to_response(site.failed(route.path, error))

    return handle


def application(site: Site) -> Sanic[Any, Any]:
    """The route table."""
    if sanic_version < "24":
        mend_body()
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
    """For the access log: a response of whatever kind is about to be sent."""
    path = request.raw_url.partition(b"?")[0].decode("latin-1")
    access_log.note(request.method, path, response.status)


def error_page(site: Site, request: Any, error: Exception) -> Page:
    """The page for what the framework raised."""
    try:
        method, path = request.method, request.path
    except AttributeError:
        # No request where its first line could not be read, no path where its URL has none.
        return site.malformed("")
    status = getattr(error, "status_code", 500)
    if status == 413:
        return site.too_large(path)
    # Sanic's stand-in for a request that it could not read; a client that left, on CPython 3.7.
    if method == "NONE" or isinstance(error, asyncio.CancelledError):
        return site.malformed(path)
    # An error before a route was found is the router's: it fails on "//".
    if status in (404, 405) or (request.route is None and not isinstance(error, SanicException)):
        return site.missing(method, path)
    if status < 500:
        return site.malformed(path)
    return site.failed(path, error)


def mend_body() -> None:
    """Refuse a body of fewer bytes than none: Sanic before 24 reads it for ever, in one go."""
    http_class: Any = Http
    chunks = http_class.__aiter__

    def checked(http: Any) -> Any:
        if http.request_bytes_left < 0:
            http.keep_alive, http.request_body = False, None
            raise BadRequest("Bad content-length")
        return chunks(http)

    http_class.__aiter__ = checked


async def drain(server: Any) -> None:
    """Stop accepting, let requests in flight finish, close what is idle."""
    server.close()

    def close_idle() -> bool:
        for connection in list(server.connections):
            http = connection.http
            # A request that just came in is not looked at yet, but it will be answered.
            if http is not None and http.recv_buffer:
                continue
            if not connection.close_if_idle():
                # It ends after the request it is busy with, instead of taking another one.
                http.keep_alive = False
        return not server.connections

    if not await finished(close_idle):
        for connection in list(server.connections):
            connection.transport.abort()


def serve(site: Site, listen: Listen, loop: NewLoop, workers: int, ready: Ready) -> int:
    """Serve until a signal; the exit status."""

    async def start(sock: socket.socket) -> Callable[[], Awaitable[None]]:
        app = application(site)
        ignore("sanic.error", SanicException, asyncio.CancelledError)
        # As run() does: without it each answer has an "alt-svc" with nothing in it.
        app.prepare(sock=sock, single_process=True, motd=False, access_log=False)
        server: Any = await app.create_server(
            sock=sock, return_asyncio_server=True, backlog=BACKLOG
        )
        await server.startup()
        await server.start_serving()
        return lambda: drain(server)

    return run(start, site, listen, loop, workers, ready)
