"""The site on aiohttp."""

from __future__ import annotations

import socket
from typing import Any, Awaitable, Callable

from aiohttp import web
from aiohttp.http import HttpProcessingError

from .exchange import BODY_LIMIT, Page, Visit
from .lifecycle import NewLoop, ignore, run
from .site import Route, Site

Handler = Callable[[web.Request], Awaitable[web.Response]]


async def to_visit(request: web.Request) -> Visit:
    """What the pages may know of a request."""
    headers = request.headers
    return Visit(
        headers.get("Cookie"),
        request.remote or "",
        headers.get("User-Agent", ""),
        request.query_string,
        await request.read() if request.can_read_body else b"",
        headers.get("Authorization"),
        tuple(request.match_info.values()),
    )


def to_response(page: Page) -> web.Response:
    """A page as the framework sends it."""
    headers = dict(page.kind.all_headers, **page.extra) if page.extra else page.kind.all_headers
    return web.Response(status=page.status, body=page.body, headers=headers)


def handler(site: Site, route: Route) -> Handler:
    """The framework's handler for a route."""
    if route.constant is not None:
        body, headers = route.constant.body, route.constant.kind.all_headers

        async def constant(request: web.Request) -> web.Response:
            return web.Response(body=body, headers=headers)

        return constant

    respond: Any = route.respond

    async def handle(request: web.Request) -> web.Response:
        try:
            visit = await to_visit(request)
        except web.HTTPRequestEntityTooLarge:
            return to_response(site.too_large(request.path))
        page = respond(visit)
        return to_response(await page if route.waits else page)

    return handle


def application(site: Site) -> web.Application:
    """The route table."""
    app = web.Application(client_max_size=BODY_LIMIT)

    async def missing(request: web.Request) -> web.Response:
        return to_response(site.missing(request.method, request.path))

    for route in site.routes:
        respond = handler(site, route)
        app.router.add_route(route.method, route.path, respond)
        if route.method == "GET":
            app.router.add_route("HEAD", route.path, respond)
    app.router.add_route("*", "/{path:.*}", missing)
    return app


def serve(site: Site, sock: socket.socket, new_loop: NewLoop, ready: Callable[[], None]) -> int:
    """Serve until a signal; the exit status."""

    async def start() -> Callable[[], Awaitable[None]]:
        ignore("aiohttp.server", HttpProcessingError, ConnectionError)
        runner = web.AppRunner(application(site), access_log=None)
        await runner.setup()
        await web.SockSite(runner, sock, backlog=1024).start()
        return runner.cleanup

    run(site, new_loop, start, ready)
    return 0
