"""A web framework of nothing: the smallest adapter that serves a page."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable
from typing import Any

from handlers.exchange import SESSION, TEXT, Page, page
from handlers.site import Site
from handlers.web.lifecycle import run


class Asked:
    """``exchange.Visit`` of any request: nothing of it is read."""

    session = manager = authorization = None
    address = "127.0.0.1"
    agent = query = ""
    body = b""
    params = ()


def respond_to(site: Site, method: str, path: str) -> Any:
    """The page, or an awaitable of it."""
    for route in site.routes:
        if (route.method, route.path) == (method, path):
            if route.constant is not None:
                return page(route.constant.encode(), TEXT)
            return route.respond(Asked())  # type: ignore[misc]
    return site.missing(method, path)


def message(answer: Page) -> bytes:
    """A page as it is sent."""
    body, kind, status, extra, session = answer
    headers = {**kind.all_headers, **(extra or {}), "Content-Length": len(body)}
    if session is not None:
        headers["Set-Cookie"] = f"{SESSION}={session}; Path=/; HttpOnly; SameSite=Lax"
    lines = [f"{name}: {value}" for name, value in headers.items()]
    return "\r\n".join([f"HTTP/1.1 {status} Toy", *lines, "", ""]).encode() + body


def serve(site: Site, listen: Any, loop: Any, workers: int, ready: Any) -> int:
    """Serve as an adapter outside the project; ``handlers.web`` describes the arguments."""

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while request := await reader.readuntil(b"\r\n\r\n"):
            method, target, _ = request.decode().split(" ", 2)
            path = target.partition("?")[0]
            try:
                answer = respond_to(site, method, path)
                answer = await answer if asyncio.iscoroutine(answer) else answer
            except Exception as error:  # noqa: BLE001 (a defect of ours must not end the server)
                answer = site.failed(path, error)
            writer.write(message(answer))

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
