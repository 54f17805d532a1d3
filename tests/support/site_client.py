"""A small HTTP client for tests: plain requests, ballots and votes, and raw bytes."""

from __future__ import annotations

import errno
import http.client
import json
import re
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode, urlsplit

TIMEOUT = 10.0
FORM = "application/x-www-form-urlencoded"
_INPUT = re.compile(r'<input type="hidden" name="(vote_plus|vote_minus)" value="([0-9a-f]{32})">')
_PICTURE = re.compile(r'src="/pictures/(\d+)\.svg"')


@dataclass(frozen=True)
class Answer:
    """A response; header names in lower case, repeated ones joined by newlines."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()

    def json(self) -> Any:
        """The body, which must be JSON and say so."""
        assert self.headers["content-type"].startswith("application/json"), self
        return json.loads(self.body)


@dataclass(frozen=True)
class Ballot:
    """The tokens and stickers of Index; `plus` votes for the left sticker."""

    plus: str
    minus: str
    left: int
    right: int


class Client:
    """One keep-alive connection to a server; no cookies of its own."""

    def __init__(self, url: str, timeout: float = TIMEOUT) -> None:
        parts = urlsplit(url)
        self._connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout)
        self._connection.timeout = timeout

    def ask(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        headers: Mapping[str, str | bytes] | None = None,
    ) -> Answer:
        """One request, as it stands."""
        self._connection.request(method, path, body, headers or {})
        response = self._connection.getresponse()
        found: dict[str, str] = {}
        for name, value in response.getheaders():
            known = found.get(name.lower())
            found[name.lower()] = value if known is None else known + "\n" + value
        return Answer(response.status, found, response.read())

    def close(self) -> None:
        self._connection.close()


def ask(url: str, method: str, path: str, body: bytes | None = None, **headers: Any) -> Answer:
    """One request on a connection of its own; `User_Agent="x"` becomes the header User-Agent."""
    client = Client(url)
    try:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return client.ask(method, path, body, named)
    finally:
        client.close()


def get(url: str, path: str, **headers: Any) -> Answer:
    """GET on a connection of its own."""
    return ask(url, "GET", path, **headers)


def change(url: str, method: str, path: str, value: Any = None, token: str | None = None) -> Answer:
    """A request to the JSON API, with a bearer token when one is given."""
    headers = {"Content-Type": "application/json"}
    if token is not None:
        headers["Authorization"] = f"Bearer {token}".encode().decode("latin-1")
    body = None if value is None else json.dumps(value).encode()
    client = Client(url)
    try:
        return client.ask(method, path, body, headers)
    finally:
        client.close()


def ballot(url: str) -> Ballot:
    """A fresh ballot."""
    return read_ballot(get(url, "/").text)


def read_ballot(html: str) -> Ballot:
    """The ballot of Index: two forms, each with the tokens of the other one turned round."""
    inputs, pictures = _INPUT.findall(html), _PICTURE.findall(html)
    assert [name for name, _ in inputs] == ["vote_plus", "vote_minus"] * 2, html
    values = [value for _, value in inputs]
    assert values[:2] == values[:1:-1], html
    assert len(pictures) == 2, html
    return Ballot(values[0], values[1], int(pictures[0]), int(pictures[1]))


def vote(url: str, plus: str, minus: str) -> Answer:
    """Send a vote."""
    form = urlencode({"vote_plus": plus, "vote_minus": minus}).encode()
    return ask(url, "POST", "/", form, Content_Type=FORM)


def sticker(url: str, number: int) -> dict[str, Any]:
    """A sticker of the catalogue by its number alone: 30 to a pack."""
    answer = get(url, f"/stickers/{(number - 1) // 30 + 1}/{number}")
    assert answer.status == 200, answer
    found: dict[str, Any] = answer.json()
    return found


def raw(port: int, data: bytes, close: bool = False, timeout: float = TIMEOUT) -> bytes:
    """Send bytes and read until the server closes; `close` ends our side first."""
    with socket.create_connection(("127.0.0.1", port), timeout) as connection:
        received = b""
        try:
            connection.sendall(data)
            if close:
                connection.shutdown(socket.SHUT_WR)
            while chunk := connection.recv(65536):
                received += chunk
        except OSError as error:
            # It was refused, and closed, in the middle of what we sent.
            if error.errno not in (errno.ECONNRESET, errno.EPIPE, errno.ENOTCONN):
                raise
        return received
