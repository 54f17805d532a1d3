"""The site on japronto, which runs its own loop in a worker process."""

from __future__ import annotations

import asyncio
import contextlib
import faulthandler
import logging
from http.cookies import SimpleCookie
from typing import Any, Callable, Optional, Tuple

from japronto import RouteNotFoundException

from handlers.exchange import BODY_LIMIT, MANAGER, SESSION, Page
from handlers.site import Route, Site
from handlers.web import access_log, client_timeouts, open_files
from handlers.web.japronto_guard import GuardedApplication, keep_large_buffers_apart
from handlers.web.lifecycle import NewLoop, finished, ignore
from handlers.web.listen import Listen
from handlers.web.supervisor import Life, Ready, supervise

# Seconds between two looks for requests that are too large, and between two looks at the memory,
# whose growth brings the first forward. What arrives in between is buffered, at some 600 MB/s.
FLOOD_CHECK = 0.25
TICK = 0.01

_log = logging.getLogger("japronto")


class JaprontoVisit:
    """The ``Visit`` of a request, read at once: the request is gone when its client leaves."""

    __slots__ = "address agent authorization body manager params query session".split()

    def __init__(self, request: Any, whole: bool = True) -> None:
        headers, cookies = request.headers, request.cookies
        # None where the header is not ASCII.
        self.session: Optional[str] = cookies.get(SESSION) if cookies else None
        self.manager: Optional[str] = cookies.get(MANAGER) if cookies else None
        self.address: str = request.remote_addr
        self.agent: str = headers.get("User-Agent", "")
        self.query: str = request.query_string or ""
        # A GET without parameters in its path has none of these.
        self.authorization: Optional[str] = headers.get("Authorization") if whole else None
        self.params: Tuple[str, ...] = tuple(request.match_dict.values()) if whole else ()
        self.body: bytes = (request.body or b"") if whole else b""


class LazyVisit:
    """The ``Visit`` of a request that is answered before its client can leave."""

    __slots__ = ("_request",)

    def __init__(self, request: Any) -> None:
        self._request = request

    def __getattr__(self, name: str) -> Any:
        return getattr(JaprontoVisit(self._request), name)


def path_of(request: Any) -> Optional[str]:
    """Return the path, or None where it has a byte that japronto cannot decode."""
    try:
        path: str = request.path
    except (SystemError, UnicodeDecodeError):
        return None
    return path


def to_response(request: Any, page: Page) -> Any:
    """Return a page as the framework sends it."""
    body, kind, status, extra, session = page
    return request.Response(
        body=b"" if request.method == "HEAD" else body,
        code=status,
        mime_type=kind.mime,
        headers=dict(kind.headers, **extra) if extra else kind.headers,
        cookies=session and cookie(session),
    )


def cookie(session: str) -> SimpleCookie:
    """Return the cookie that gives a new visitor the session id."""
    cookies = SimpleCookie()
    cookies[SESSION] = session
    morsel = cookies[SESSION]
    # CPython 3.7 does not know SameSite, but sends the path as it stands.
    morsel["path"] = "/; SameSite=Lax"
    morsel["httponly"] = True
    return cookies


def handler(site: Site, route: Route, loop: asyncio.AbstractEventLoop) -> Callable[[Any], Any]:
    """Return the framework's handler for a route: a coroutine only where a database is asked.

    japronto refuses requests behind a coroutine that waits, so a page that need not be one is none.
    """
    if route.constant is not None:
        text = route.constant

        def constant(request: Any) -> Any:
            return request.Response(text=text)

        return constant

    respond: Any = route.respond
    whole = route.method != "GET" or "{" in route.path

    def handle(request: Any) -> Any:
        return to_response(request, respond(LazyVisit(request)))

    async def handle_waiting(request: Any) -> Any:
        task: Any = asyncio.current_task(loop)
        # Its result is a part of the request, which must live as long: see `japronto_guard`.
        task.request = request
        if request.body and len(request.body) > BODY_LIMIT:
            return to_response(request, site.too_large(request.path))
        # Not in the try block: what japronto cannot decode is its client's fault.
        visit = JaprontoVisit(request, whole)
        try:
            page = await respond(visit)
        except Exception as error:  # noqa: BLE001 (a defect of ours must not end the server)
            page = site.failed(route.path, error)
        return to_response(request, page)

    return handle_waiting if route.waits else handle


def refusal(page: Page, reason: str) -> bytes:
    """Return a page as it is sent to a connection that is closed then, whatever it asked for."""
    body, kind, status, _, _ = page
    fields = dict(kind.all_headers, **{"Content-Length": str(len(body))})
    lines = [f"HTTP/1.0 {status} {reason}"]
    lines += [f"{name}: {value}" for name, value in fields.items()]
    return "\r\n".join([*lines, "", ""]).encode() + body


class SiteApplication(GuardedApplication):
    """japronto with our error pages, and an end that waits for requests in flight."""

    def __init__(self, site: Site, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(loop)
        self._site = site
        for route in site.routes:
            respond = self.handler(route)
            self.router.add_route(route.path, respond, route.method)
            if route.method == "GET":
                self.router.add_route(route.path, respond, "HEAD")

    def handler(self, route: Route) -> Callable[[Any], Any]:
        """Return the framework's handler for a route."""
        return handler(self._site, route, self.loop)

    def default_error_handler(self, request: Any, error: BaseException) -> Any:
        if isinstance(error, asyncio.CancelledError):
            # The client is gone; japronto drops this answer.
            return request.Response(code=503)
        path = path_of(request)
        # SystemError: japronto could not decode the query.
        if path is None or isinstance(error, SystemError):
            return to_response(request, self._site.malformed(path or ""))
        if not isinstance(error, RouteNotFoundException):
            return to_response(request, self._site.failed(path, error))
        return to_response(request, self._site.missing(request.method, path))

    def protocol_error_handler(self, error: str) -> bytes:
        return refusal(self._site.malformed(""), "Bad Request")

    def refuse_floods(self) -> None:
        """Answer the requests that are too large already, and drop answers that nobody reads."""
        self.drop_unread()
        self.refuse_large_requests(
            lambda: refusal(self._site.too_large(""), "Request Entity Too Large")
        )

    async def drain(self) -> None:
        await finished(self.close_idle)
        await self._site.close()


class LoggedRequest:
    """A request whose answer goes into the access log; japronto's own log has no status."""

    def __init__(self, request: Any) -> None:
        self._request = request

    def __getattr__(self, name: str) -> Any:
        return getattr(self._request, name)

    def Response(self, **answer: Any) -> Any:  # noqa: N802 (japronto's name)
        """Return the response, and log it."""
        request = self._request
        access_log.note(request.method, path_of(request) or "?", answer.get("code", 200))
        return request.Response(**answer)


class LoggedApplication(SiteApplication):
    """The application with an access log."""

    def handler(self, route: Route) -> Callable[[Any], Any]:
        handle = super().handler(route)

        def logged(request: Any) -> Any:
            return handle(LoggedRequest(request))

        async def logged_waiting(request: Any) -> Any:
            return await handle(LoggedRequest(request))

        return logged_waiting if route.waits else logged

    def default_error_handler(self, request: Any, error: BaseException) -> Any:
        return super().default_error_handler(LoggedRequest(request), error)

    def protocol_error_handler(self, error: str) -> bytes:
        access_log.note_malformed()
        return super().protocol_error_handler(error)


def without_methods(loop: asyncio.AbstractEventLoop, context: Any) -> None:
    """Do what the missing methods of japronto's protocol would do.

    These are `pause_writing`, `resume_writing` and `eof_received`. The loop reports each as an
    AttributeError.
    """
    if not (isinstance(context.get("exception"), AttributeError) and "protocol" in context):
        loop.default_exception_handler(context)
        return
    with contextlib.suppress(RuntimeError):  # uvloop raises it for a connection that is closed
        if "pause_writing" in context["message"]:
            context["transport"].pause_reading()
        elif "resume_writing" in context["message"]:
            context["transport"].resume_reading()


def serve(site: Site, listen: Listen, loop: NewLoop, workers: int, ready: Ready) -> int:
    """Serve until a signal; the workers share one socket, as in japronto's own `run`."""

    def work(life: Life) -> None:
        own = loop()
        asyncio.set_event_loop(own)
        own.set_exception_handler(without_methods)
        own.run_until_complete(site.open(lenient=not life.first, refresh=life.number == 0))
        own.call_soon(life.started)
        if not _log.isEnabledFor(logging.DEBUG):
            # japronto switches it on, and every client could fill the log with aborts.
            own.call_soon(faulthandler.disable)
        where = {"sock": listen.socket, "host": listen.host, "port": listen.port}
        # japronto goes on to write for a client that left in the middle of its answers.
        ignore("asyncio", level=logging.WARNING, message="socket.send() raised exception")
        ignore("asyncio", message=open_files.ASYNCIO_STOPS)
        keep_large_buffers_apart()
        application = (LoggedApplication if access_log.wanted() else SiteApplication)(site, own)
        floods = client_timeouts.Check(application.refuse_floods, FLOOD_CHECK)
        client_timeouts.enforce(listen.socket, own, floods, tick=TICK)
        application.serve(reloader_pid=None, **where)

    return supervise(work, listen, workers, ready)
