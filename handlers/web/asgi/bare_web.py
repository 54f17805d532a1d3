"""The site on ASGI itself, without a framework."""

from __future__ import annotations

from typing import Any, AsyncIterator, Dict, List, Optional, Tuple
from urllib.parse import unquote

from handlers.site import Route, Site
from handlers.web import asgi
from handlers.web.asgi.application import Application, without_lifespan

Found = Tuple[Any, Tuple[str, ...]]


class Table:
    """The routes by method and path; ``handlers`` are their answers, in the same order."""

    def __init__(self, routes: List[Route], handlers: List[Any]) -> None:
        self._fixed: Dict[Tuple[str, str], Found] = {}
        self._others: List[Tuple[str, List[str], Any]] = []
        for route, handler in zip(routes, handlers):
            for method in ("GET", "HEAD") if route.method == "GET" else (route.method,):
                if "{" in route.path:
                    self._others.append((method, route.path.split("/"), handler))
                else:
                    self._fixed[method, route.path] = handler, ()

    def find(self, method: str, path: str) -> Optional[Found]:
        """Return what answers a request, and the parameters of its path; None without a route."""
        found = self._fixed.get((method, path))
        if found is not None:
            return found
        given = path.split("/")
        for wanted_method, wanted, handler in self._others:
            if wanted_method == method and len(wanted) == len(given):
                pairs = list(zip(wanted, given))
                if all(a == b or (a[:1] == "{" and b) for a, b in pairs):
                    return handler, tuple(unquote(b) for a, b in pairs if a[:1] == "{")
        return None


def cookies_of(scope: asgi.Scope) -> Dict[str, str]:
    """Return the cookies of a request by their names."""
    found: Dict[str, str] = {}
    for name, value in scope["headers"]:
        if name == b"cookie":
            for pair in value.decode("latin-1").split(";"):
                key, _, text = pair.strip(" ").partition("=")
                found.setdefault(key, text)
    return found


async def chunks_of(receive: asgi.Receive) -> AsyncIterator[bytes]:
    """Yield the parts of a request's body."""
    more = True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise asgi.ClientLeft
        yield message.get("body", b"")
        more = message.get("more_body", False)


def application(site: Site) -> Application:
    """Return the application with its routes."""
    handlers = [
        route.constant.encode() if route.constant is not None else asgi.answering(site, route)
        for route in site.routes
    ]
    table = Table(site.routes, handlers)

    async def app(scope: asgi.Scope, receive: asgi.Receive, send: asgi.Send) -> None:
        found = table.find(scope["method"], asgi.raw_path(scope))
        if found is None:
            await asgi.send_page(send, asgi.missing(site, scope))
        elif isinstance(found[0], bytes):
            plain = [(b"content-type", b"text/plain; charset=utf-8")]
            await asgi.send_text(send, found[0], 200, plain)
        else:
            answer, params = found
            cookies = cookies_of(scope)
            page = await answer(scope, cookies, params, lambda: chunks_of(receive))
            await asgi.send_page(send, page)

    return Application(without_lifespan(app), site)
