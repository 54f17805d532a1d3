"""Decides which requests Locust's page answers: those of a browser that opened it at its address.

Browsers let any web page post a form to this one; such a request names the other page as its
Origin. A web page whose owner lets its name point to this machine has that name as its Host.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterable
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

LOCAL = {"localhost", "127.0.0.1", "::1"}
ALL_ADDRESSES = {"", "*", "0.0.0.0", "::"}  # noqa: S104 - compared, not bound
CORS = "access-control-"

Wsgi = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


def foreign(asked: Iterable[str], host: str, origin: str | None) -> str | None:
    """Return why a request is refused, in one line, or None for one of the page's own.

    `asked` are the addresses of the page that the command line names, "" for all of this machine;
    `host` and `origin` are the request's headers.
    """
    if not _is_ours(_name(host), {_name(one) for one in asked}):
        return f"Locust's page is not at {host!r}: open it at its own address"
    if origin is not None and origin.rpartition("//")[2] != host:
        return f"a page of {origin!r} may not use Locust's"
    return None


def _is_ours(name: str, asked: set[str]) -> bool:
    if asked <= LOCAL:
        return name in LOCAL
    return name in asked - ALL_ADDRESSES | LOCAL | {socket.gethostname().lower()} or _literal(name)


def _literal(name: str) -> bool:
    """Return whether a name is an address, which nobody can point elsewhere."""
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


def _name(address: str) -> str:
    """Return the host of "host:port", of a URL or of an address; "" if there is none."""
    if _literal(address):
        return address
    try:
        return urlsplit(f"//{address.rpartition('//')[2]}").hostname or ""
    except ValueError:
        return ""


def without_cors(app: Wsgi) -> Wsgi:
    """Return an application that allows other sites nothing: Locust itself allows them all."""

    def answer(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        def start(status: str, headers: list[tuple[str, str]], *more: Any) -> Any:
            kept = [one for one in headers if not one[0].lower().startswith(CORS)]
            return start_response(status, kept, *more)

        return app(environ, start)

    return answer
