"""Parses the URLs of databases, of which each database gives the form."""

from __future__ import annotations

from typing import Dict, List, NamedTuple, Optional, Tuple
from urllib.parse import SplitResult, parse_qs, quote, unquote, urlencode, urlsplit

# The option of a URL that holds the path of a Unix socket.
OPTION = "unix_socket"


class AddressError(ValueError):
    """The text is no URL of that database; the message names the variable and no password."""


class Form(NamedTuple):
    """The form of the URLs of a database; ``example`` ends the sentence "... must look like"."""

    variable: str
    schemes: Tuple[str, ...]
    default_port: int
    example: str
    # The name of a Unix socket in the folder that ``?host=`` gives, or OPTION if that option is the
    # socket's path, or "" if the path of the URL is.
    socket: str = ""


class Address(NamedTuple):
    """The place where a database listens, and the user, password and database name to use there.

    ``path`` is the path of a Unix socket; if it is None, ``host`` and ``port`` are the place. User,
    password and name are decoded, and None where the URL has none.
    """

    path: Optional[str]
    host: str
    port: int
    user: Optional[str] = None
    password: Optional[str] = None
    name: Optional[str] = None

    def __str__(self) -> str:
        """Return the place for a message, without user and password."""
        if self.path:
            return self.path
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def parse(url: str, form: Form) -> Address:
    """Return the address in a URL, or raise AddressError."""
    try:
        parts = urlsplit(url)
        port = parts.port
        query = parse_qs(parts.query)
        if form.socket and "port" in query:
            port = int(query["port"][0])
    except ValueError:
        raise _wrong(form) from None
    if parts.scheme not in form.schemes or not 0 < (port or form.default_port) < 65536:
        raise _wrong(form)
    path, host, name = _place(parts, query, port or form.default_port, form)
    return Address(
        path, host, port or form.default_port, _text(parts.username), _text(parts.password), name
    )


def _place(
    parts: SplitResult, query: Dict[str, List[str]], port: int, form: Form
) -> Tuple[Optional[str], str, Optional[str]]:
    """Return the path of the socket, the host, and the name of the database."""
    inside = _text(parts.path.lstrip("/"))
    host = parts.hostname or ""
    if form.socket == OPTION:
        path = query.get(OPTION, [""])[0]
        return (path, "", inside) if path else (None, host or "localhost", inside)
    if not form.socket:
        if not (host or inside):
            raise _wrong(form)
        return (None, host, inside) if host else (unquote(parts.path), "", None)
    host = query.get("host", [unquote(host)])[0] or "localhost"
    if host.startswith("/"):
        return f"{host}/{form.socket}.{port}", "", inside
    return None, host, inside


def _text(part: Optional[str]) -> Optional[str]:
    return unquote(part) if part else None


def _wrong(form: Form) -> AddressError:
    return AddressError(f"{form.variable} must look like {form.example}")


def moved(url: str, here: Address) -> str:
    """Return the URL with another place of the same kind; all else stays."""
    parts = urlsplit(url)
    query = parse_qs(parts.query)
    user, at, _ = parts.netloc.rpartition("@")
    query.pop("hostaddr", None)
    # libpq takes a socket's folder in place of the host as well.
    if OPTION in query:
        query[OPTION] = [here.path or ""]
        parts = parts._replace(query=urlencode(query, doseq=True))
    elif "host" in query or (parts.hostname or "").lower().startswith("%2f"):
        query["host"] = [here.host if here.path is None else here.path.rpartition("/")[0]]
        query["port"] = [str(here.port)]
        parts = parts._replace(netloc=user + at, query=urlencode(query, doseq=True))
    elif here.path is None:
        parts = parts._replace(netloc=f"{user}{at}{here}")
    else:
        parts = parts._replace(path=quote(here.path))
    # Not `geturl`, which leaves the slashes of an empty host out.
    query_text = f"?{parts.query}" if parts.query else ""
    return f"{parts.scheme}://{parts.netloc}{parts.path}{query_text}"
