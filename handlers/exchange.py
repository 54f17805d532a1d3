"""The input and the output of a page: a visit and a page, the same for every framework."""

from __future__ import annotations

import json
from typing import Any, AsyncIterable, Dict, List, Mapping, Optional, Tuple, Union
from urllib.parse import parse_qsl

from typing_extensions import Protocol

# Bytes; a ballot has 100, a title 80 characters.
BODY_LIMIT = 64 * 1024
# A body over the limit is read and dropped up to this size, because an answer that is sent before
# the body has arrived is lost with the connection. It must be below the limit of `client_timeouts`.
MOST_DROPPED = 3 * 2**19
MOST_DIGITS = 20
MOST_FIELDS = 8

# Few and short on purpose, as Sanic reads every character of every header of a response.
SECURITY_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
}
# The cookie with the session id, and what it is set with.
SESSION = "session"
SESSION_OPTIONS: Dict[str, Any] = {"path": "/", "httponly": True, "samesite": "Lax"}
# The cookie of a manager's log-in. `handlers.manage` sets it, with a header of its own.
MANAGER = "manager"
FRESH = {"Cache-Control": "no-store"}
FOREVER = {"Cache-Control": "public, max-age=31536000, immutable"}


class Visit(Protocol):
    """A request; each adapter reads it from its framework's own.

    Its text is as the framework decoded it, and not checked.
    """

    @property
    def session(self) -> Optional[str]:
        """The value of the cookie SESSION as the framework reads it; None without one."""

    @property
    def manager(self) -> Optional[str]:
        """The value of the cookie MANAGER as the framework reads it; None without one."""

    @property
    def address(self) -> str:
        """The peer's address."""

    @property
    def agent(self) -> str:
        """The header User-Agent."""

    @property
    def authorization(self) -> Optional[str]:
        """The header Authorization; adapters need not read it from a GET."""

    @property
    def query(self) -> str:
        """The text behind the question mark."""

    @property
    def params(self) -> Tuple[str, ...]:
        """The parameters of the route's path, decoded."""

    @property
    def body(self) -> bytes:
        """The body as it came; only for a page that waits."""


class CookieVisit:
    """Part of a ``Visit``: its cookies, which the adapter has read."""

    __slots__ = ("_cookies",)

    _cookies: Mapping[str, str]

    @property
    def session(self) -> Optional[str]:
        return self._cookies.get(SESSION)

    @property
    def manager(self) -> Optional[str]:
        return self._cookies.get(MANAGER)


class TooLarge(Exception):
    """The body is over BODY_LIMIT."""


class ClientLeft(Exception):
    """The client left in the middle of its body, or the body is malformed."""


def announced(length: Union[str, bytes]) -> int:
    """Return the number in a header Content-Length, 0 if it is none."""
    digits = length.isascii() and length.isdigit() and len(length) < MOST_DIGITS
    return int(length) if digits else 0


async def read(chunks: AsyncIterable[bytes], length: int) -> bytes:
    """Return a body from its chunks, of which ``length`` bytes are announced.

    Raises TooLarge, or ClientLeft if it ends before its length.
    """
    parts: List[bytes] = []
    size = 0
    async for part in chunks:
        size += len(part)
        if size <= BODY_LIMIT:
            parts.append(part)
        if size >= MOST_DROPPED:
            break
    if size > BODY_LIMIT:
        raise TooLarge
    if size < length:
        raise ClientLeft
    return b"".join(parts)


class Kind:
    """A media type with its headers, which are made once and shared by all responses."""

    def __init__(self, mime: str, caching: Dict[str, str]) -> None:
        self.mime = mime
        text = mime.startswith("text/") or mime == "application/json"
        self.content_type = mime + "; charset=utf-8" if text else mime
        self.headers = dict(SECURITY_HEADERS, **caching)
        self.all_headers = dict({"Content-Type": self.content_type}, **self.headers)
        self.fields = fields_of(self.all_headers)


def fields_of(headers: Dict[str, str]) -> List[Tuple[bytes, bytes]]:
    """Return headers as the pairs of bytes that ASGI takes."""
    return [(name.lower().encode(), value.encode()) for name, value in headers.items()]


HTML = Kind("text/html", FRESH)
TEXT = Kind("text/plain", FRESH)
JSON = Kind("application/json", FRESH)
SVG = Kind("image/svg+xml", FOREVER)


# A page: its body, its kind, its status, headers besides the kind's own or None, and the session id
# of a new visitor or None. It is a plain tuple because an instance of a class would cost 1 us.
Page = Tuple[bytes, Kind, int, Optional[Dict[str, str]], Optional[str]]


def page(
    body: bytes, kind: Kind = HTML, status: int = 200, extra: Optional[Dict[str, str]] = None
) -> Page:
    """Return a page that sets no cookie."""
    return body, kind, status, extra, None


def json_page(value: Any, status: int = 200, extra: Optional[Dict[str, str]] = None) -> Page:
    """Return a value as JSON."""
    return page(json.dumps(value).encode("ascii"), JSON, status, extra)


def form_fields(body: bytes) -> Dict[str, str]:
    """Return the fields of a form in UTF-8, the last of those with one name.

    Raise ValueError if it is none, or has more than MOST_FIELDS.
    """
    text = body.decode("utf-8")
    fields = parse_qsl(text, keep_blank_values=True, errors="strict", max_num_fields=MOST_FIELDS)
    return dict(fields)


def redirect(target: str, extra: Optional[Dict[str, str]] = None) -> Page:
    """Return the answer that sends a reader to another page, after a form for instance."""
    return page(b"", TEXT, 303, dict({"Location": target}, **(extra or {})))
