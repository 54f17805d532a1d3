"""The site on Starlette, served by uvicorn."""

from __future__ import annotations

import asyncio
import logging
import math
import socket
from typing import Any, Awaitable, Callable

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route as Path

from handlers.exchange import SESSION, SESSION_OPTIONS, Page
from handlers.site import Route, Site
from handlers.timeouts import TIMEOUTS
from handlers.web import access_log, asgi
from handlers.web.lifecycle import NewLoop, finished, ignore, run
from handlers.web.listen import Listen
from handlers.web.supervisor import Ready
from handlers.web.uvicorn_internals import MALFORMED, UvicornServer, limited_protocol
from runtime.listen import BACKLOG

Endpoint = Callable[[Request], Awaitable[Response]]

# uvicorn's remarks about what clients sent.
ABOUT_CLIENTS = (MALFORMED, "Unsupported upgrade request", "No supported WebSocket")


def to_response(page: Page) -> Response:
    """Return a page as the framework sends it."""
    body, kind, status, extra, session = page
    headers = dict(kind.all_headers, **extra) if extra else kind.all_headers
    response = Response(body, status, headers)
    if session is not None:
        response.set_cookie(SESSION, session, **SESSION_OPTIONS)
    return response


def endpoint(site: Site, route: Route) -> Endpoint:
    """Return the framework's handler for a route."""
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
        except asgi.ClientLeft:
            return to_response(site.malformed(asgi.raw_path(request.scope)))
        cookies, params = request.cookies, tuple(request.path_params.values())
        try:
            page = respond(asgi.AsgiVisit(request.scope, cookies, body, params))
            return to_response(await page if waits else page)
        except Exception as error:  # noqa: BLE001 (a defect of ours must not end the server)
            return to_response(site.failed(route.path, error))

    return handle


def application(site: Site) -> asgi.App:
    """Return the application with its routes."""

    async def missing(request: Request, error: Exception) -> Response:
        return to_response(site.missing(request.method, asgi.raw_path(request.scope)))

    async def failed(request: Request, error: Exception) -> Response:
        if asgi.client_left(error):
            return Response()  # which nobody reads
        return to_response(site.failed(asgi.raw_path(request.scope), error))

    routes = [Path(it.path, endpoint(site, it), methods=[it.method]) for it in site.routes]
    app = Starlette(routes=routes, exception_handlers={HTTPException: missing, Exception: failed})
    app.router.redirect_slashes = False
    served = asgi.slashes_kept(app)
    return asgi.logged(served) if access_log.wanted() else served


def note_malformed(record: logging.LogRecord) -> bool:
    """Filter uvicorn's log: note each request that it refused before the application saw it.

    When the body is malformed, the page that waited for it has a line of its own as well.
    """
    if MALFORMED in record.getMessage():
        access_log.note_malformed()
    return True


def quiet_logs() -> None:
    """Keep uvicorn's remarks about clients out of the log."""
    if access_log.wanted():  # first, because the filters below drop the record
        logging.getLogger("uvicorn.error").addFilter(note_malformed)
    for message in ABOUT_CLIENTS:
        ignore("uvicorn.error", level=logging.WARNING, message=message)
    # `site.failed` has logged what a page raised; a cancellation is the client's or our own.
    ignore("uvicorn.error", Exception, asyncio.CancelledError)
    ignore("uvicorn.error", message="timeout graceful shutdown exceeded")


def serve(site: Site, listen: Listen, loop: NewLoop, workers: int, ready: Ready) -> int:
    """Serve until a signal, and return the exit status."""

    async def start(sock: socket.socket) -> Callable[[], Awaitable[None]]:
        quiet_logs()
        config = uvicorn.Config(
            application(site),
            http=limited_protocol(),
            lifespan="off",
            ws="none",
            log_config=None,
            access_log=False,
            proxy_headers=False,
            backlog=BACKLOG,
            timeout_keep_alive=math.ceil(TIMEOUTS.idle),
            timeout_graceful_shutdown=math.ceil(TIMEOUTS.finish),
        )
        server = UvicornServer(config)
        serving = asyncio.ensure_future(server.serve([sock]))
        await finished(lambda: server.started or serving.done())

        async def finish() -> None:
            server.should_exit = True
            await serving

        return finish

    return run(start, site, listen, loop, workers, ready)
