"""A page that is not right is found before it is measured: a server with every fault."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from race.errors import CellFailed
from race.web import pages

COOKIE = f"session={'0' * 32}; Path=/; HttpOnly; SameSite=Lax"
BALLOT = f'<input type="hidden" name="vote_plus" value="{"a" * 32}">'
ANSWERS = {
    "/right": (200, "text/html; charset=utf-8", BALLOT, COOKIE),
    "/wrong-status": (503, "text/html", BALLOT, COOKIE),
    "/wrong-type": (200, "text/plain", BALLOT, COOKIE),
    "/wrong-body": (200, "text/html", "<p>Error</p>", COOKIE),
    "/no-cookie": (200, "text/html", BALLOT, ""),
    "/open-cookie": (200, "text/html", BALLOT, f"session={'0' * 32}; Path=/"),
}


class Faulty(BaseHTTPRequestHandler):
    """Answers each path with its fault."""

    def answer(self) -> tuple[int, str, str, str]:
        """Status, type, body, cookie."""
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
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.mark.parametrize(
    ("path", "complaint"),
    [
        ("/wrong-status", "answered 503"),
        ("/wrong-type", "is text/plain, not text/html"),
        ("/wrong-body", "does not contain what it must"),
        ("/no-cookie", "no session cookie"),
        ("/open-cookie", "no session cookie"),
    ],
)
def test_a_wrong_page_has_its_reason(
    url: str, path: str, complaint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = pages.PAGES["index"]
    monkeypatch.setitem(pages.PAGES, "index", replace(index, path="/right"))
    pages.verify(url, "index")
    monkeypatch.setitem(pages.PAGES, "index", replace(index, path=path))
    with pytest.raises(CellFailed, match=complaint) as caught:
        pages.verify(url, "index")
    assert isinstance(caught.value, pages.PageBusy) == (path == "/wrong-status")


def test_a_server_may_catch_its_breath_after_a_load(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    soon = replace(pages.PAGES["index"], path="/soon")
    monkeypatch.setitem(pages.PAGES, "index", soon)
    answers = iter([(503, "text/html", "", ""), (503, "text/html", "", ""), ANSWERS["/right"]])
    monkeypatch.setattr(Faulty, "answer", lambda handler: next(answers))
    pages.verify(url, "index", patient=True)
    monkeypatch.setattr(Faulty, "answer", lambda handler: ANSWERS["/wrong-body"])
    with pytest.raises(CellFailed, match="does not contain"):
        pages.verify(url, "index", patient=True)


def test_no_server_is_a_reason_too() -> None:
    with pytest.raises(CellFailed, match="/ugly did not answer: ConnectionRefusedError"):
        pages.verify("http://127.0.0.1:1", "ugly")
