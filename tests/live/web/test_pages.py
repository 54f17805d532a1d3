"""A page that is not right is found before it is measured."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

import pytest

from race.errors import CellFailed
from race.web import pages

HTML = "text/html; charset=utf-8"
COOKIE = f"session={'0' * 32}; Path=/; HttpOnly; SameSite=Lax"
BALLOT = f'<input type="hidden" name="vote_plus" value="{"a" * 32}">'
RIGHT = (200, HTML, BALLOT, COOKIE)
ANSWERS = {
    "/right": RIGHT,
    "/other-order": (200, HTML, BALLOT, f"session={'0' * 32}; HttpOnly; samesite=lax; Path=/"),
    "/wrong-status": (503, HTML, BALLOT, COOKIE),
    "/wrong-type": (200, "text/plain", BALLOT, COOKIE),
    "/wrong-body": (200, HTML, "<p>Error</p>", COOKIE),
    "/no-cookie": (200, HTML, BALLOT, ""),
    "/deep-cookie": (200, HTML, BALLOT, COOKIE.replace("/;", "/good;")),
    "/open-cookie": (200, HTML, BALLOT, f"session={'0' * 32}; Path=/"),
}


class Faulty(BaseHTTPRequestHandler):
    """Answers each path with its fault."""

    def answer(self) -> tuple[int, str, str, str]:
        return ANSWERS[self.path]

    def do_GET(self) -> None:
        status, kind, body, cookie = self.answer()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        if cookie:
            self.send_header("Set-Cookie", cookie)
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as inherited
        """Say nothing."""


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Faulty) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def moved(monkeypatch: pytest.MonkeyPatch, name: str, path: str) -> None:
    """Give a page another path."""
    monkeypatch.setitem(pages.PAGES, name, replace(pages.PAGES[name], path=path))


@pytest.mark.parametrize(
    ("path", "complaint"),
    [
        ("/wrong-status", "answered 503"),
        ("/wrong-type", "is text/plain, not text/html"),
        ("/wrong-body", "does not contain what it must"),
        ("/no-cookie", "no session cookie"),
        ("/deep-cookie", "no session cookie"),
        ("/open-cookie", "no session cookie"),
    ],
)
def test_a_wrong_page_has_its_reason(
    url: str, path: str, complaint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    moved(monkeypatch, "index", path)
    with pytest.raises(CellFailed, match=complaint) as caught:
        pages.verify(url, "index")
    assert isinstance(caught.value, pages.PageBusy) == (path == "/wrong-status")


@pytest.mark.parametrize("path", ["/right", "/other-order"])
def test_a_right_page_is_right(url: str, path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    moved(monkeypatch, "index", path)
    pages.verify(url, "index")


def test_a_busy_server_is_asked_again_after_a_load(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pages, "RETRY_SECONDS", 0.01)
    answers = iter([ANSWERS["/wrong-status"], ANSWERS["/wrong-status"], RIGHT])
    monkeypatch.setattr(Faulty, "answer", lambda handler: next(answers))
    pages.verify(url, "index", retry=True)
    monkeypatch.setattr(Faulty, "answer", lambda handler: ANSWERS["/wrong-body"])
    with pytest.raises(CellFailed, match="does not contain"):
        pages.verify(url, "index", retry=True)


def test_no_server_is_a_reason_too() -> None:
    with pytest.raises(CellFailed, match="/ugly did not answer: ConnectionRefusedError"):
        pages.verify("http://127.0.0.1:1", "ugly")


def test_an_answer_is_weighed_as_it_came(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    moved(monkeypatch, "index", "/right")
    parts = urlsplit(url)
    with socket.create_connection((parts.hostname or "", parts.port or 0), 5.0) as connection:
        connection.sendall(b"GET /right HTTP/1.1\r\nHost: x\r\n\r\n")
        answer = b""
        while part := connection.recv(65536):
            answer += part
    head, _, body = answer.partition(b"\r\n\r\n")
    assert body.decode() == BALLOT
    assert pages.weigh(url, "index") == {
        "body_bytes": len(body),
        "header_bytes": len(head) + 4,
        "headers": head.count(b"\r\n"),
    }


@pytest.mark.parametrize(
    ("answer", "complaint"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n12345", "ended after 5 of 9 bytes"),
        (b"HTTP/1.1 200 OK\r\nContent-Type: x\r\n\r\n12345", "does not say its length"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: five\r\n\r\n12345", "cannot be weighed"),
        (b"HTTP/1.1 200 OK\r\n", "cannot be weighed"),
    ],
)
def test_an_answer_that_cannot_be_weighed_has_its_reason(answer: bytes, complaint: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            connection, _ = listening.accept()
            with connection:
                connection.recv(65536)
                connection.sendall(answer)

        thread = threading.Thread(target=serve)
        thread.start()
        with pytest.raises(CellFailed, match=complaint):
            pages.weigh(f"http://127.0.0.1:{listening.getsockname()[1]}", "good")
        thread.join()


def test_a_report_of_nothing_says_what_to_do(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in pages.REPORTS:
        assert pages.named(f"/{name}") == name
        moved(monkeypatch, name, "/no-cookie")
        with pytest.raises(CellFailed, match="are there votes"):
            pages.verify(url, name)
