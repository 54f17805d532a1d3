"""A web framework of nothing: the smallest adapter that serves a page."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable
from typing import Any

from handlers.exchange import SESSION, TEXT, Page
from handlers.site import Site
from handlers.web.lifecycle import run


class Asked:
    """``exchange.Visit`` of any request: nothing of it is read."""

    session = authorization = None
    address = "127.0.0.1"
    agent = query = ""
    body = b""
    params = ()


def respond_to(site: Site, method: str, path: str) -> Any:
    """The page, or an awaitable of it."""
    for route in site.routes:
        if (route.method, route.path) == (method, path):
            if route.constant is not None:
                return Page(route.constant.encode(), TEXT)
            return route.respond(Asked())  # type: ignore[misc]
    return site.missing(method, path)


def head(page: Page) -> bytes:
    """Status line and headers."""
    headers = {**page.kind.all_headers, **(page.extra or {}), "Content-Length": len(page.body)}
    if page.session is not None:
        headers["Set-Cookie"] = f"{SESSION}={page.session}; Path=/; HttpOnly; SameSite=Lax"
    lines = [f"{name}: {value}" for name, value in headers.items()]
    return "\r\n".join([f"HTTP/1.1 {page.status} Toy", *lines, "", ""]).encode()


def serve(site: Site, listen: Any, loop: Any, workers: int, ready: Any) -> int:
    """See ``handlers.web``."""

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while request := await reader.readuntil(b"\r\n\r\n"):
            method, target, _ = request.decode().split(" ", 2)
            path = target.partition("?")[0]
            try:
                page = respond_to(site, method, path)
                page = await page if asyncio.iscoroutine(page) else page
            except Exception as error:  # noqa: BLE001 (a defect of ours must not end the server)
                page = site.failed(path, error)
            writer.write(head(page) + page.body)

    async def guarded(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await talk(reader, writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    async def start(sock: socket.socket) -> Callable[[], Awaitable[None]]:
        server = await asyncio.start_server(guarded, sock=sock)

        async def finish() -> None:
            server.close()

        return finish

    return run(start, site, listen, loop, workers, ready)
