"""The application that a server gets, whatever framework it was made with."""

from __future__ import annotations

from typing import Any, Iterable
from urllib.parse import unquote_to_bytes

from handlers.exchange import MOST_DROPPED
from handlers.site import Site
from handlers.web import access_log
from handlers.web.wsgi import App, Environ, StartResponse, length_of, missing, raw_path, send_page


class Application:
    """A framework's application as servers get it.

    WSGI decodes the path as a whole, and a router would take ``%2F`` for a separator. Here it stays
    escaped in ``PATH_INFO``. With ``exact``, a path with an empty segment and the method OPTIONS
    have no route, for frameworks that redirect or answer OPTIONS by themselves.
    """

    def __init__(self, app: Any, site: Site, exact: bool = False) -> None:
        self._app: App = app
        self._site = site
        self._exact = exact
        self._answer = self._logged if access_log.wanted() else self._plain

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        return self._answer(environ, start_response)

    def _plain(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        raw, method = raw_path(environ), environ["REQUEST_METHOD"]
        if "%2F" in raw or "%2f" in raw:
            escaped = raw.replace("%2F", "%252F").replace("%2f", "%252f")
            environ["PATH_INFO"] = unquote_to_bytes(escaped).decode("latin-1")
        if self._exact and ("//" in raw or raw[1:].endswith("/") or method == "OPTIONS"):
            return send_page(environ, start_response, missing(self._site, environ))
        if method != "GET" and length_of(environ) > MOST_DROPPED:
            # Refused before a framework reads any of it.
            return send_page(environ, start_response, self._site.too_large(raw))
        return self._app(environ, start_response)

    def _logged(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        def noting(status: str, *rest: Any) -> Any:
            access_log.note(environ["REQUEST_METHOD"], raw_path(environ), int(status[:3]))
            return start_response(status, *rest)

        return self._plain(environ, noting)
