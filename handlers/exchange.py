"""What goes into a page and what comes out of it, whatever the web framework."""

from __future__ import annotations

import json
from typing import Any, Dict, Optional, Tuple

from typing_extensions import Protocol

# One body limit for every framework, in bytes: a ballot is 100, a title 80 characters.
BODY_LIMIT = 64 * 1024

# Few and short on purpose: Sanic looks at every character of every header, for each response.
SECURITY_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
}
# The cookie with the session id, and what it is set with.
SESSION = "session"
SESSION_OPTIONS: Dict[str, Any] = {"path": "/", "httponly": True, "samesite": "Lax"}
FRESH = {"Cache-Control": "no-store"}
FOREVER = {"Cache-Control": "public, max-age=31536000, immutable"}


class Visit(Protocol):
    """One request, in the site's words; an adapter looks them up in its own when a page asks.

    Text is what the framework decoded; nothing is checked.
    """

    @property
    def session(self) -> Optional[str]:
        """The value of the cookie SESSION as the framework reads it; None without one."""

    @property
    def address(self) -> str:
        """The peer's."""

    @property
    def agent(self) -> str:
        """The header User-Agent."""

    @property
    def authorization(self) -> Optional[str]:
        """The header Authorization; only of a request that is no GET."""

    @property
    def query(self) -> str:
        """What follows the question mark."""

    @property
    def params(self) -> Tuple[str, ...]:
        """The parameters of the route's path, decoded."""

    @property
    def body(self) -> bytes:
        """As it came; only of a page that waits."""


class Kind:
    """A media type with its fixed headers, made once, so that a response only points to them."""

    def __init__(self, mime: str, caching: Dict[str, str]) -> None:
        self.mime = mime
        text = mime.startswith("text/") or mime == "application/json"
        self.content_type = mime + "; charset=utf-8" if text else mime
        self.headers = dict(SECURITY_HEADERS, **caching)
        self.all_headers = dict({"Content-Type": self.content_type}, **self.headers)


HTML = Kind("text/html", FRESH)
TEXT = Kind("text/plain", FRESH)
JSON = Kind("application/json", FRESH)
SVG = Kind("image/svg+xml", FOREVER)


# An answer: its body; its kind; its status; headers on top of the kind's own, or None; a new
# visitor's session id for the cookie SESSION, or None. A plain tuple, as in ``store``.
Page = Tuple[bytes, Kind, int, Optional[Dict[str, str]], Optional[str]]


def page(
    body: bytes, kind: Kind = HTML, status: int = 200, extra: Optional[Dict[str, str]] = None
) -> Page:
    """A page that sets no cookie."""
    return body, kind, status, extra, None


def json_page(value: Any, status: int = 200, extra: Optional[Dict[str, str]] = None) -> Page:
    """The value as JSON."""
    return page(json.dumps(value).encode("ascii"), JSON, status, extra)
