"""The site on japronto, which runs its own loop in a worker process."""

from __future__ import annotations

import asyncio
import faulthandler
import logging
import math
import socket
from http.cookies import SimpleCookie
from typing import Any, Callable, Optional, Tuple

from japronto import Application, RouteNotFoundException
from japronto.protocol.cprotocol import Protocol

from handlers.exchange import BODY_LIMIT, SESSION, Page
from handlers.site import Route, Site
from handlers.timeouts import TIMEOUTS
from handlers.web import access_log, client_timeouts, japronto_line
from handlers.web.lifecycle import NewLoop, finished
from handlers.web.listen import Listen
from handlers.web.supervisor import Life, Ready, supervise

# So often requests are looked for that are too large, or sooner where memory grows: what comes in
# within a tick is kept whole, at some 600 MB/s.
FLOOD_SECONDS = 0.25
FLOOD_TICK_SECONDS = 0.01
# What the kernel keeps of a connection until it is read; a body comes in at 3 GB/s otherwise.
RECEIVE_BYTES = 16 * 1024

_log = logging.getLogger("japronto")


class Asked:
    """``exchange.Visit`` of a GET without parameters in its path.

    It is read at once: japronto's own is gone with its client.
    """

    __slots__ = ("address", "agent", "query", "session")

    authorization: Optional[str] = None
    params: Tuple[str, ...] = ()
    body = b""

    def __init__(self, request: Any) -> None:
        headers, cookies = request.headers, request.cookies
        # None where the header is not ASCII.
        self.session: Optional[str] = cookies.get(SESSION) if cookies else None
        self.address: str = request.remote_addr
        self.agent: str = headers.get("User-Agent", "")
        self.query: str = request.query_string or ""


class AskedMore(Asked):
    """The same of any other request."""

    __slots__ = ("authorization", "body", "params")

    def __init__(self, request: Any) -> None:
        super().__init__(request)
        self.authorization = request.headers.get("Authorization")
        self.params = tuple(request.match_dict.values())
        self.body = request.body or b""


def path_of(request: Any) -> Optional[str]:
    """Its path; None where that has a byte that japronto cannot decode."""
    try:
        path: str = request.path
    except (SystemError, UnicodeDecodeError):
        return None
    return path


def to_response(request: Any, page: Page) -> Any:
    """A page as the framework sends it."""
    body, kind, status, extra, session = page
    return request.Response(
        body=b"" if request.method == "HEAD" else body,
        code=status,
        mime_type=kind.mime,
        headers=dict(kind.headers, **extra) if extra else kind.headers,
        cookies=session and cookie(session),
    )


def cookie(session: str) -> SimpleCookie:
    """The cookie that gives a new visitor the session id."""
    cookies = SimpleCookie()
    cookies[SESSION] = session
    morsel = cookies[SESSION]
    # CPython 3.7 has no name for SameSite yet; what is said of the path is sent as it stands.
    morsel["path"] = "/; SameSite=Lax"
    morsel["httponly"] = True
    return cookies


def handler(site: Site, route: Route) -> Callable[[Any], Any]:
    """The framework's handler for a route: synchronous where no database is asked.

    japronto aborts when a coroutine that waits is pipelined, so only such pages are coroutines.
    """
    if route.constant is not None:
        text = route.constant

        def constant(request: Any) -> Any:
            return request.Response(text=text)

        return constant

    respond: Any = route.respond
    plain = route.method == "GET" and "{" not in route.path
    asked = Asked if plain else AskedMore

    def handle(request: Any) -> Any:
        return to_response(request, respond(asked(request)))

    async def handle_waiting(request: Any) -> Any:
        if request.body and len(request.body) > BODY_LIMIT:
            return to_response(request, site.too_large(request.path))
        # Outside: what japronto cannot decode is its client's fault.
        visit = asked(request)
        try:
            page = await respond(visit)
        except Exception as error:  # noqa: BLE001 (a defect of ours must not end the server)
            page = site.failed(route.path, error)
        return to_response(request, page)

    return handle_waiting if route.waits else handle


def refusal(page: Page, reason: str) -> bytes:
    """A page as it is sent to a connection that is closed then, whatever it asked for."""
    body, kind, status, _, _ = page
    fields = dict(kind.all_headers, **{"Content-Length": str(len(body))})
    lines = [f"HTTP/1.0 {status} {reason}"]
    lines += [f"{name}: {value}" for name, value in fields.items()]
    return "\r\n".join([*lines, "", ""]).encode() + body


class SiteApplication(Application):  # type: ignore[misc]
    """japronto with our error pages, and an end that waits for requests in flight."""

    def __init__(self, site: Site, loop: asyncio.AbstractEventLoop) -> None:
        # In seconds, as on every framework; the checks of `client_timeouts` are more exact.
        super().__init__(reaper_settings={"idle_timeout": math.ceil(TIMEOUTS.idle)})
        self._loop = loop
        if japronto_line.fits(Protocol):
            self._protocol_factory = japronto_line.protocols(Protocol)
        self._site = site
        for route in site.routes:
            respond = self.handler(route)
            self.router.add_route(route.path, respond, route.method)
            if route.method == "GET":
                self.router.add_route(route.path, respond, "HEAD")

    def handler(self, route: Route) -> Callable[[Any], Any]:
        """The framework's handler for a route."""
        return handler(self._site, route)

    def default_error_handler(self, request: Any, error: BaseException) -> Any:
        if isinstance(error, asyncio.CancelledError):
            # The client is gone; japronto drops whatever is answered.
            return request.Response(code=503)
        path = path_of(request)
        # What japronto cannot decode, in the path or behind it.
        if path is None or isinstance(error, SystemError):
            return to_response(request, self._site.malformed(path or ""))
        if not isinstance(error, RouteNotFoundException):
            return to_response(request, self._site.failed(path, error))
        return to_response(request, self._site.missing(request.method, path))

    def protocol_error_handler(self, error: str) -> bytes:
        return refusal(self._site.malformed(""), "Bad Request")

    def too_large(self) -> bytes:
        """The answer to a request that is refused before it is all there."""
        return refusal(self._site.too_large(""), "Request Entity Too Large")

    def refuse_floods(self) -> None:
        """Answer the requests that are too large already."""
        japronto_line.refuse_floods(self._connections, self.too_large, self._loop)

    async def drain(self) -> None:
        def close_idle() -> bool:
            idle, busy = self._get_idle_and_busy_connections()
            for connection in idle:
                connection.transport.close()
            return not busy

        await finished(close_idle)
        await self._site.close()


class Noting:
    """A request whose answer goes into the access log: japronto's own log knows no status."""

    def __init__(self, request: Any) -> None:
        self._request = request

    def __getattr__(self, name: str) -> Any:
        return getattr(self._request, name)

    def Response(self, **answer: Any) -> Any:  # noqa: N802 - as japronto has it
        """What is answered, and a line."""
        request = self._request
        access_log.note(request.method, path_of(request) or "?", answer.get("code", 200))
        return request.Response(**answer)


class LoggedApplication(SiteApplication):
    """The same with an access log."""

    def handler(self, route: Route) -> Callable[[Any], Any]:
        handle = super().handler(route)

        def noting(request: Any) -> Any:
            return handle(Noting(request))

        async def noting_waiting(request: Any) -> Any:
            return await handle(Noting(request))

        return noting_waiting if route.waits else noting

    def default_error_handler(self, request: Any, error: BaseException) -> Any:
        return super().default_error_handler(Noting(request), error)

    def protocol_error_handler(self, error: str) -> bytes:
        access_log.note_malformed()
        return super().protocol_error_handler(error)


def overlook_eof(loop: asyncio.AbstractEventLoop, context: Any) -> None:
    """Log what an event loop reports, but for one thing.

    asyncio asks a protocol what to do when the client closed its side; japronto's has no answer,
    so asyncio reports an error and closes the connection, which is what is wanted.
    """
    if not (isinstance(context.get("exception"), AttributeError) and "protocol" in context):
        loop.default_exception_handler(context)


def serve(site: Site, listen: Listen, loop: NewLoop, workers: int, ready: Ready) -> int:
    """Serve until a signal; the exit status. Workers share one socket, as in japronto's own run."""

    def work(life: Life) -> None:
        own = loop()
        asyncio.set_event_loop(own)
        own.set_exception_handler(overlook_eof)
        own.run_until_complete(site.open(lenient=not life.first, refresh=life.number == 0))
        own.call_soon(life.started)
        if not _log.isEnabledFor(logging.DEBUG):
            # japronto enables it, and its aborts are at every client's command.
            own.call_soon(faulthandler.disable)
        where = {"sock": listen.socket, "host": listen.host, "port": listen.port}
        listen.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, RECEIVE_BYTES)
        japronto_line.keep_large_buffers_apart()
        made = (LoggedApplication if access_log.wanted() else SiteApplication)(site, own)
        floods = client_timeouts.Check(made.refuse_floods, FLOOD_SECONDS)
        client_timeouts.enforce(listen.socket, own, floods, tick=FLOOD_TICK_SECONDS)
        made.serve(reloader_pid=None, **where)

    return supervise(work, listen, workers, ready)
