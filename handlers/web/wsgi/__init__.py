"""Requests and pages in WSGI, for every framework that speaks it; none is imported here.

A framework's module has the function ``application(site)``, which returns an ``Application`` of
``application.py``. It holds what the framework's users write: routes, a handler that calls what
``answering`` returns, and the framework's own response.

Pages are coroutines, and a thread has no event loop. A store for threads never suspends, so a page
runs to its end in one step.
"""

from __future__ import annotations

from http import HTTPStatus
from typing import Any, Callable, Coroutine, Dict, Iterable, List, Mapping, Optional, Tuple
from urllib.parse import urlsplit

from handlers.exchange import (
    BODY_LIMIT,
    MOST_DROPPED,
    SESSION,
    ClientLeft,
    CookieVisit,
    Page,
    TooLarge,
    announced,
)
from handlers.site import Route, Site

Environ = Dict[str, Any]
StartResponse = Callable[..., Any]
App = Callable[[Environ, StartResponse], Iterable[bytes]]
# A function of the environment, the cookies as the framework reads them, the parameters of the
# path, and the stream of the body.
Answer = Callable[[Environ, Mapping[str, str], Tuple[str, ...], Any], Page]


class WsgiVisit(CookieVisit):
    """The ``Visit`` of a request, whose cookies the framework has read."""

    __slots__ = ("_environ", "body", "params")

    def __init__(
        self, environ: Environ, cookies: Mapping[str, str], body: bytes, params: Tuple[str, ...]
    ) -> None:
        self._environ = environ
        self._cookies = cookies
        self.body = body
        self.params = params

    @property
    def address(self) -> str:
        address: str = self._environ["REMOTE_ADDR"]
        return address

    @property
    def agent(self) -> str:
        agent: str = self._environ.get("HTTP_USER_AGENT", "")
        return agent

    @property
    def authorization(self) -> Optional[str]:
        return self._environ.get("HTTP_AUTHORIZATION")

    @property
    def query(self) -> str:
        query: str = self._environ["QUERY_STRING"]
        return query


def finished(page: Coroutine[Any, Any, Page]) -> Page:
    """Run a page to its end, without an event loop."""
    try:
        page.send(None)
    except StopIteration as end:
        made: Page = end.value
        return made
    page.close()
    raise RuntimeError("a page suspends, and a thread has no event loop to go on with it")


def answering(site: Site, route: Route) -> Answer:
    """Return the function that makes the page of a route from the parts of a request."""
    respond: Any = route.respond
    takes_body, waits = route.takes_body, route.waits

    def answer(
        environ: Environ, cookies: Mapping[str, str], params: Tuple[str, ...], stream: Any
    ) -> Page:
        try:
            body = read(environ, stream) if takes_body else b""
        except TooLarge:
            return site.too_large(raw_path(environ))
        except ClientLeft:
            return site.malformed(raw_path(environ))
        try:
            page: Any = respond(WsgiVisit(environ, cookies, body, params))
            made: Page = finished(page) if waits else page
        except Exception as error:  # noqa: BLE001 (a defect of ours must not end the server)
            made = site.failed(route.path, error)
        return made

    return answer


def read(environ: Environ, stream: Any) -> bytes:
    """Return the body of a request; raise TooLarge or ClientLeft."""
    try:
        body: bytes = stream.read(BODY_LIMIT + 1)
        size = len(body)
        while BODY_LIMIT < size < MOST_DROPPED:
            part = stream.read(BODY_LIMIT)
            if not part:
                break
            size += len(part)
    except Exception as error:
        # A server raises errors of its own for a body that is no HTTP, or that ends too early.
        raise ClientLeft from error
    if size > BODY_LIMIT:
        raise TooLarge
    if size < length_of(environ):
        raise ClientLeft
    return body


def length_of(environ: Environ) -> int:
    """Return the length that a request announces for its body, 0 if it announces none."""
    return announced(environ.get("CONTENT_LENGTH") or "")


def raw_path(environ: Environ) -> str:
    """Return the path as it was sent; WSGI by itself has only the decoded one."""
    raw: str = environ["RAW_URI"].partition("?")[0]
    return raw if raw.startswith("/") else urlsplit(raw).path


def missing(site: Site, environ: Environ) -> Page:
    """Return the page for a request without a route."""
    return site.missing(environ["REQUEST_METHOD"], raw_path(environ))


def send_page(environ: Environ, start_response: StartResponse, page: Page) -> List[bytes]:
    """Send a page by WSGI's own call, without a framework."""
    body, kind, status, extra, session = page
    headers = list((dict(kind.all_headers, **extra) if extra else kind.all_headers).items())
    if session is not None:
        headers.append(("Set-Cookie", f"{SESSION}={session}; Path=/; HttpOnly; SameSite=Lax"))
    return send_text(environ, start_response, body, status, headers)


def send_text(
    environ: Environ,
    start_response: StartResponse,
    body: bytes,
    status: int,
    headers: List[Tuple[str, str]],
) -> List[bytes]:
    """Send a response with its length."""
    headers.append(("Content-Length", str(len(body))))
    start_response(f"{status} {HTTPStatus(status).phrase}", headers)
    return [] if environ["REQUEST_METHOD"] == "HEAD" else [body]
