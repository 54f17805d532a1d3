"""The site on Starlette, served by uvicorn."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import math
import socket
from typing import Any, Awaitable, Callable, Iterator

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route as Path
from uvicorn.protocols.http.auto import AutoHTTPProtocol

from handlers.exchange import SESSION, SESSION_OPTIONS, Page
from handlers.site import Route, Site
from handlers.timeouts import TIMEOUTS
from handlers.web import access_log, asgi
from handlers.web.lifecycle import NewLoop, finished, ignore, run
from handlers.web.listen import Listen
from handlers.web.supervisor import Ready
from runtime.listen import BACKLOG

Endpoint = Callable[[Request], Awaitable[Response]]

# What uvicorn says of what is no HTTP, which it answers by itself; and of protocols it has not.
MALFORMED = "Invalid HTTP request"
OF_CLIENTS = (MALFORMED, "Unsupported upgrade request", "No supported WebSocket")


# Of a request that is not all there; httptools has no limit for it.
MOST_HEAD = 64 * 1024


def bounded(protocol: Any) -> Any:
    """A protocol of uvicorn with a limit for the head of a request; h11's has its own."""
    if not hasattr(protocol, "on_url"):
        return protocol

    class Bounded(protocol):  # type: ignore[misc]
        unfinished: Any = None
        came = 0

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            if self.cycle is None or self.cycle.scope is not self.scope:
                self.count(len(data))

        def count(self, size: int) -> None:
            """So much more of a head, but for where it begins, behind other requests."""
            if self.scope is not self.unfinished:
                self.unfinished, self.came = self.scope, 0
                return
            self.came += size
            if self.came > MOST_HEAD:
                self.logger.warning(MALFORMED)
                self.send_400_response(MALFORMED)

    return Bounded


class Server(uvicorn.Server):
    """uvicorn that leaves the signals to those who started it."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def to_response(page: Page) -> Response:
    """A page as the framework sends it."""
    body, kind, status, extra, session = page
    headers = dict(kind.all_headers, **extra) if extra else kind.all_headers
    response = Response(body, status, headers)
    if session is not None:
        response.set_cookie(SESSION, session, **SESSION_OPTIONS)
    return response


def endpoint(site: Site, route: Route) -> Endpoint:
    """The framework's handler for a route."""
    if route.constant is not None:
        text = route.constant

        async def constant(request: Request) -> Response:
            return PlainTextResponse(text)

        return constant

    respond: Any = route.respond
    takes_body, waits = route.takes_body, route.waits

    async def handle(request: Request) -> Response:
        try:
            body = await asgi.read(request.scope, request.receive) if takes_body else b""
        except asgi.TooLarge:
            return to_response(site.too_large(asgi.raw_path(request.scope)))
        except asgi.Gone:
            return to_response(site.malformed(asgi.raw_path(request.scope)))
        session, params = request.cookies.get(SESSION), tuple(request.path_params.values())
        try:
            page = respond(asgi.Asked(request.scope, session, body, params))
            return to_response(await page if waits else page)
        except Exception as error:  # noqa: BLE001 (a defect of ours must not end the server)
            return to_response(site.failed(route.path, error))

    return handle


def application(site: Site) -> asgi.App:
    """The route table."""

    async def missing(request: Request, error: Exception) -> Response:
        return to_response(site.missing(request.method, asgi.raw_path(request.scope)))

    async def failed(request: Request, error: Exception) -> Response:
        if asgi.departed(error):
            return Response()  # which nobody reads
        return to_response(site.failed(asgi.raw_path(request.scope), error))

    routes = [Path(it.path, endpoint(site, it), methods=[it.method]) for it in site.routes]
    app = Starlette(routes=routes, exception_handlers={HTTPException: missing, Exception: failed})
    app.router.redirect_slashes = False
    served = asgi.slashes_kept(app)
    return asgi.logged(served) if access_log.wanted() else served


def note_malformed(record: logging.LogRecord) -> bool:
    """A filter of uvicorn's log, which alone is told of what the application never sees.

    Where the body is what is no HTTP, the page that waited for it has its own line, too.
    """
    if MALFORMED in record.getMessage():
        access_log.note_malformed()
    return True


def serve(site: Site, listen: Listen, loop: NewLoop, workers: int, ready: Ready) -> int:
    """Serve until a signal; the exit status."""

    async def start(sock: socket.socket) -> Callable[[], Awaitable[None]]:
        if access_log.wanted():  # before what follows drops the record
            logging.getLogger("uvicorn.error").addFilter(note_malformed)
        for message in OF_CLIENTS:
            ignore("uvicorn.error", level=logging.WARNING, message=message)
        # What a page raises, ``site.failed`` has said; what is cancelled is a client's or ours.
        ignore("uvicorn.error", Exception, asyncio.CancelledError)
        ignore("uvicorn.error", message="timeout graceful shutdown exceeded")
        config = uvicorn.Config(
            application(site),
            http=bounded(AutoHTTPProtocol),
            lifespan="off",
            ws="none",
            log_config=None,
            access_log=False,
            proxy_headers=False,
            backlog=BACKLOG,
            timeout_keep_alive=math.ceil(TIMEOUTS.idle),
            timeout_graceful_shutdown=math.ceil(TIMEOUTS.finish),
        )
        server = Server(config)
        serving = asyncio.ensure_future(server.serve([sock]))
        await finished(lambda: server.started or serving.done())

        async def finish() -> None:
            server.should_exit = True
            await serving

        return finish

    return run(start, site, listen, loop, workers, ready)
