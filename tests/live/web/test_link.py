"""The relay between server and database: late by as much as it says, in order, and it ends."""

from __future__ import annotations

import contextlib
import socket
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from databases import find
from race.errors import CellFailed
from race.web import link
from race.web.link.relay import CHUNK, MOST_BYTES, Relay
from tests.support import records

SECONDS = 10.0
# A busy machine wakes a sleeper late; never early.
LATE = 0.8


class Echo:
    """A server that sends back what comes, and keeps how its connections ended."""

    def __init__(self, path: str) -> None:
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(path)
        self.listener.listen()
        self.ended: list[bytes] = []
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                end = self.listener.accept()[0]
                threading.Thread(target=self._talk, args=(end,), daemon=True).start()

    def _talk(self, end: socket.socket) -> None:
        got = b""
        with end, contextlib.suppress(OSError):
            while data := end.recv(CHUNK):
                got = (got + data)[-100:]
                end.sendall(data)
            end.sendall(b"bye")
        self.ended.append(got)


@contextlib.contextmanager
def relayed(folder: Path, seconds: float) -> Iterator[tuple[Echo, str]]:
    """An echo behind a relay in a thread, and where the relay listens."""
    echo, here = Echo(str(folder / "target")), str(folder / "here")
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(here)
    listener.listen()
    relay, over = Relay(listener, str(folder / "target"), seconds), threading.Event()

    def run() -> None:
        while not over.is_set():
            relay.turn(0.02)

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield echo, here
    finally:
        over.set()
        thread.join(SECONDS)
        relay.close()
        listener.close()
        echo.listener.close()
        assert not thread.is_alive()


def called(path: str) -> socket.socket:
    """A connection there."""
    end = socket.socket(socket.AF_UNIX)
    end.settimeout(SECONDS)
    end.connect(path)
    return end


def answered(end: socket.socket, size: int) -> bytes:
    """So many bytes."""
    got = b""
    while len(got) < size and (data := end.recv(CHUNK)):
        got += data
    return got


def test_a_round_trip_takes_so_much_longer_and_a_new_connection_twice(tmp_path: Path) -> None:
    with relayed(tmp_path, 0.2) as (_, path), called(path) as end:
        times = []
        for number in range(3):
            began = time.monotonic()
            end.sendall(b"%d" % number)
            assert answered(end, 1) == b"%d" % number
            times.append(time.monotonic() - began)
    # The first waits for the handshake of a connection that takes a round trip as well.
    assert 0.4 <= times[0] < 0.4 + LATE
    for one in times[1:]:
        assert 0.2 <= one < 0.2 + LATE


def test_half_of_it_is_on_the_way_there(tmp_path: Path) -> None:
    with relayed(tmp_path, 0.4) as (echo, path):
        end = called(path)
        began = time.monotonic()
        end.sendall(b"x")
        end.close()
        while not echo.ended:
            time.sleep(0.005)
    # A handshake, then half a round trip.
    assert 0.6 <= time.monotonic() - began < 0.6 + LATE
    assert echo.ended == [b"x"]


def test_what_is_on_its_way_comes_in_order_and_all_at_once_is_no_later(tmp_path: Path) -> None:
    sent = b"".join(b"%06d" % number for number in range(5000))
    with relayed(tmp_path, 0.1) as (_, path), called(path) as end:
        end.sendall(b"-")
        answered(end, 1)
        began = time.monotonic()
        for first in range(0, len(sent), 600):
            end.sendall(sent[first : first + 600])
        assert answered(end, len(sent)) == sent
        assert time.monotonic() - began < 0.1 + 3 * LATE


def test_more_than_it_holds_comes_through(tmp_path: Path) -> None:
    sent = bytes(range(256)) * (3 * MOST_BYTES // 256)
    with relayed(tmp_path, 0.01) as (_, path), called(path) as end:
        writer = threading.Thread(target=end.sendall, args=(sent,))
        writer.start()
        assert answered(end, len(sent)) == sent
        writer.join(SECONDS)


def test_who_stops_sending_still_gets_the_rest(tmp_path: Path) -> None:
    with relayed(tmp_path, 0.1) as (echo, path), called(path) as end:
        end.sendall(b"last")
        end.shutdown(socket.SHUT_WR)
        assert answered(end, 99) == b"lastbye"
        assert echo.ended == [b"last"]


def test_where_nobody_listens_the_connection_ends(tmp_path: Path) -> None:
    with relayed(tmp_path, 0.0) as (echo, path):
        echo.listener.close()
        (tmp_path / "target").unlink()
        with called(path) as end:
            assert end.recv(1) == b""


@pytest.mark.parametrize("kind", ["unix", "tcp"])
def test_a_relay_in_a_process_leads_where_its_environment_says(kind: str, tmp_path: Path) -> None:
    postgres = find("postgres")
    if kind == "unix":
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(str(tmp_path / ".s.PGSQL.5432"))
        listener.listen()
        url = f"postgresql:///site?host={tmp_path}"
    else:
        listener = socket.create_server(("127.0.0.1", 0))
        url = f"postgresql://127.0.0.1:{listener.getsockname()[1]}/site"
    found = link.start(postgres, url, 100, frozenset())
    try:
        where = found.address
        assert where == postgres.address(found.env[postgres.url_variable])
        assert where != postgres.address(url)
        end = (
            called(where.path)
            if where.path is not None
            else socket.create_connection((where.host, where.port), SECONDS)
        )
        listener.settimeout(SECONDS)
        with end, listener.accept()[0] as other:
            other.settimeout(SECONDS)
            began = time.monotonic()
            other.sendall(b"hello")
            assert answered(end, 5) == b"hello"
            assert time.monotonic() - began >= 0.045
    finally:
        found.end()
        listener.close()
    assert not found.child.running()
    assert where.path is None or not Path(where.path).parent.exists()


def test_a_relay_that_does_not_start_fails_the_cell(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(CellFailed, match="the link to the database ended with code 1"):
        link.start(find("postgres"), "postgresql:///site?host=/nowhere", 1, frozenset())


def test_levels_are_milliseconds() -> None:
    assert [link.level(one) for one in (0, 0.2, 2.0)] == ["0 ms", "0.2 ms", "2 ms"]
    assert link.milliseconds(records.contender("a", factors={"link": "0.2 ms"})) == 0.2
    assert link.milliseconds(records.contender("a")) == 0.0
