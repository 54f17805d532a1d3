"""A small HTTP client for tests: plain requests, ballots and votes, and raw bytes."""

from __future__ import annotations

import errno
import html
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


class Manager:
    """A manager's browser without JavaScript: it keeps its cookie, and sends the forms of pages."""

    def __init__(self, url: str) -> None:
        self._url = url
        self.cookie = ""

    def get(self, path: str) -> Answer:
        return get(self._url, path, Cookie=self.cookie)

    def form(self, path: str) -> dict[str, str]:
        """The fields of a page's form, as it shows them."""
        return read_form(self.get(path).text)

    def post(self, path: str, fields: Mapping[str, str]) -> Answer:
        body = urlencode(fields).encode()
        return ask(self._url, "POST", path, body, Content_Type=FORM, Cookie=self.cookie)

    def send(self, path: str, **typed: str) -> Answer:
        """Fill in the form of a page, and send it."""
        return self.post(path, {**self.form(path), **typed})

    def log_in(self, token: str) -> Answer:
        answer = self.send("/manage/login", token=token)
        self.cookie = answer.headers.get("set-cookie", "").partition(";")[0]
        return answer


def read_form(page: str) -> dict[str, str]:
    """The fields of the form of a page under /manage, besides that of its log-out."""
    (form,) = re.findall(r'(?s)<form class="sheet".*?</form>', page)
    found = {}
    for field in re.findall(r"<input [^>]*>", form):
        value = re.search(r' value="([^"]*)"', field)
        found[re.findall(r' name="([^"]*)"', field)[0]] = html.unescape(value[1]) if value else ""
    return found


def ballot(url: str) -> Ballot:
    """A fresh ballot."""
    return read_ballot(get(url, "/").text)


def read_ballot(page: str) -> Ballot:
    """The ballot of Index: two forms, each with the tokens of the other one turned round."""
    inputs, pictures = _INPUT.findall(page), _PICTURE.findall(page)
    assert [name for name, _ in inputs] == ["vote_plus", "vote_minus"] * 2, page
    values = [value for _, value in inputs]
    assert values[:2] == values[:1:-1], page
    assert len(pictures) == 2, page
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
