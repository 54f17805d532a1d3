"""The site on WSGI itself, without a framework."""

from __future__ import annotations

from typing import Iterable

from handlers.site import Site
from handlers.web import wsgi
from handlers.web.table import Table, cookies_in
from handlers.web.wsgi.application import Application


def application(site: Site) -> Application:
    """Return the application with its routes."""
    handlers = [
        route.constant.encode() if route.constant is not None else wsgi.answering(site, route)
        for route in site.routes
    ]
    table = Table(site.routes, handlers)

    def app(environ: wsgi.Environ, start_response: wsgi.StartResponse) -> Iterable[bytes]:
        found = table.find(environ["REQUEST_METHOD"], wsgi.raw_path(environ))
        if found is None:
            return wsgi.send_page(environ, start_response, wsgi.missing(site, environ))
        answer, params = found
        if isinstance(answer, bytes):
            plain = [("Content-Type", "text/plain; charset=utf-8")]
            return wsgi.send_text(environ, start_response, answer, 200, plain)
        cookies = cookies_in(environ.get("HTTP_COOKIE", ""))
        page = answer(environ, cookies, params, environ["wsgi.input"])
        return wsgi.send_page(environ, start_response, page)

    return Application(app, site)
