"""The access log: a line for each request at the level debug, none at any other."""

from __future__ import annotations

import re

from handlers import NOT_LOGGED
from tests.support.engines import (
    EACH_WEB,
    ON_MEMORY,
    PAIRED,
    Starter,
    with_each,
)
from tests.support.site_client import ask, get, raw
from tests.support.site_server import SiteServer, serving, until

LINE = re.compile(r"^[\d-]+ [\d:,]+ DEBUG access: (.*)$", re.MULTILINE)
REQUESTS = (
    ("GET", "/ugly", 200),
    ("GET", "/good", 200),
    ("HEAD", "/about", 200),
    ("POST", "/", 400),
    ("GET", "/nowhere", 404),
    ("PUT", "/ugly", 405),
    ("GET", "/stickers/none", 404),
)
QUERY = "?a=%0A%0Db"


def asked(server: SiteServer) -> list[str]:
    """The lines of requests, once all that were asked are there."""
    for method, path, status in REQUESTS:
        assert ask(server.url, method, path + QUERY).status == status, (method, path)

    def lines() -> list[str]:
        found = LINE.findall(server.log())
        return found if len(found) >= len(REQUESTS) else []

    return list(until(lines, 5.0, f"no lines for all requests: {server.log()}"))


@with_each(ON_MEMORY, others=PAIRED)
def test_each_request_is_a_line(starter: Starter, engine: str) -> None:
    starter.ready(engine)
    with serving(engine, starter.databases.env(), "-l", "debug") as server:
        expected = [f"{method} {path} {status}" for method, path, status in REQUESTS]
        assert asked(server) == expected
        assert "Traceback" not in server.log()
        assert server.stop() == 0


@with_each(ON_MEMORY, gap=NOT_LOGGED, others=PAIRED)
def test_a_malformed_request_is_a_line(starter: Starter, engine: str) -> None:
    """Frameworks answer what is no HTTP without the site, and tell neither method nor path."""
    starter.ready(engine)
    with serving(engine, starter.databases.env(), "-l", "debug") as server:
        for sent in (b"HELLO\r\n\r\n", b"GET / HTTP/1.1\r\nHost x\r\n\r\n"):
            assert b" 400 " in raw(server.port, sent).partition(b"\r\n")[0]
        until(lambda: len(LINE.findall(server.log())) == 2, 5.0, "not two lines")
        for line in LINE.findall(server.log()):
            assert re.fullmatch(r"\S+ \S+ 400", line)
        assert "Traceback" not in server.log()
        assert server.stop() == 0


@with_each(EACH_WEB[:1])
def test_workers_write_it_too(starter: Starter, engine: str) -> None:
    starter.ready(engine)
    options = ("--workers", "2", "-l", "debug")
    with serving(engine, starter.databases.env(), *options) as server:
        assert len(asked(server)) == len(REQUESTS)


@with_each(ON_MEMORY, others=PAIRED)
def test_at_info_no_request_writes_a_line(starter: Starter, engine: str) -> None:
    starter.ready(engine)
    with serving(engine, starter.databases.env(), "-l", "info") as server:
        for path in ("/ugly", "/good", "/nowhere"):
            get(server.url, path)
        raw(server.port, b"HELLO\r\n\r\n")
        assert server.stop() == 0
        log = server.log()
    assert " INFO server: end: " in log
    assert not LINE.findall(log)
    assert "malformed" not in log
    assert not [path for path in ("/ugly", "/good", "/nowhere") if path in log]
