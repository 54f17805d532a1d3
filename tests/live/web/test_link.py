"""The relay between server and database: late by as much as it says, in order, and it ends."""

from __future__ import annotations

import contextlib
import socket
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from databases import find
from race.errors import CellFailed
from race.web import link
from race.web.link.relay import CHUNK, MOST_BYTES, Relay

SECONDS = 10.0
LATE = 2.5  # a busy machine wakes a sleeping process late, never early


class Echo:
    """A server that sends back what comes, and keeps how its connections ended."""

    def __init__(self, path: str) -> None:
        self.listener = listening(path)
        self.ended: list[bytes] = []
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                end = self.listener.accept()[0]
                threading.Thread(target=self._echo, args=(end,), daemon=True).start()

    def _echo(self, end: socket.socket) -> None:
        got = b""
        with end, contextlib.suppress(OSError):
            while data := end.recv(CHUNK):
                got = (got + data)[-100:]
                end.sendall(data)
            end.sendall(b"bye")
        self.ended.append(got)


def listening(path: str) -> socket.socket:
    found = socket.socket(socket.AF_UNIX)
    found.bind(path)
    found.listen()
    return found


@contextlib.contextmanager
def relayed(folder: Path, seconds: float) -> Iterator[tuple[Echo, socket.socket, float]]:
    """An echo behind a relay in a thread, a connection to the relay, and when that was begun."""
    echo, listener = Echo(str(folder / "target")), listening(str(folder / "here"))
    relay, over = Relay(listener, str(folder / "target"), seconds), threading.Event()

    def run() -> None:
        while not over.is_set():
            relay.turn(0.02)

    thread = threading.Thread(target=run)
    thread.start()
    try:
        began = time.monotonic()
        with connected(str(folder / "here")) as end:
            yield echo, end, began
    finally:
        over.set()
        thread.join(SECONDS)
        relay.close()
        listener.close()
        echo.listener.close()
        assert not thread.is_alive()


def connected(path: str) -> socket.socket:
    end = socket.socket(socket.AF_UNIX)
    end.settimeout(SECONDS)
    end.connect(path)
    return end


def received(end: socket.socket, size: int) -> bytes:
    got = b""
    while len(got) < size and (data := end.recv(CHUNK)):
        got += data
    return got


def test_a_round_trip_takes_so_much_longer_and_a_new_connection_twice(tmp_path: Path) -> None:
    with relayed(tmp_path, 0.2) as (_, end, began):
        moments = [began]
        for number in (b"0", b"1"):
            end.sendall(number)
            assert received(end, 1) == number
            moments.append(time.monotonic())
    # The first round trip waits for a handshake, which takes one as well.
    assert 0.4 <= moments[1] - moments[0] < 0.4 + LATE
    assert 0.2 <= moments[2] - moments[1] < 0.2 + LATE


def test_half_of_the_delay_is_on_the_way_there(tmp_path: Path) -> None:
    with relayed(tmp_path, 0.4) as (echo, end, began):
        end.sendall(b"x")
        end.close()
        while not echo.ended:
            time.sleep(0.005)
        # A handshake, then half a round trip.
        assert 0.6 <= time.monotonic() - began < 0.6 + LATE
    assert echo.ended == [b"x"]


def test_bytes_under_way_come_in_order_and_together_are_no_later(tmp_path: Path) -> None:
    sent = b"".join(b"%06d" % number for number in range(5000))
    with relayed(tmp_path, 0.1) as (_, end, _):
        end.sendall(b"-")
        received(end, 1)
        began = time.monotonic()
        for first in range(0, len(sent), 600):
            end.sendall(sent[first : first + 600])
        assert received(end, len(sent)) == sent
        assert time.monotonic() - began < 0.1 + 3 * LATE


def test_more_than_it_holds_comes_through_and_so_does_the_rest_after_an_end(tmp_path: Path) -> None:
    sent = bytes(range(256)) * (3 * MOST_BYTES // 256)
    with relayed(tmp_path, 0.01) as (echo, end, _):
        writer = threading.Thread(target=end.sendall, args=(sent,))
        writer.start()
        assert received(end, len(sent)) == sent
        writer.join(SECONDS)
        end.shutdown(socket.SHUT_WR)
        assert received(end, 99) == b"bye"
        assert echo.ended == [sent[-100:]]


def test_without_a_target_the_connection_ends(tmp_path: Path) -> None:
    with relayed(tmp_path, 0.0) as (echo, _, _):
        echo.listener.close()
        (tmp_path / "target").unlink()
        with connected(str(tmp_path / "here")) as end:
            assert end.recv(1) == b""


@pytest.mark.parametrize("kind", ["unix", "tcp"])
def test_a_link_in_a_process_leads_where_its_environment_says(kind: str, tmp_path: Path) -> None:
    postgres = find("postgres")
    if kind == "unix":
        listener = listening(str(tmp_path / ".s.PGSQL.5432"))
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
            connected(where.path)
            if where.path is not None
            else socket.create_connection((where.host, where.port), SECONDS)
        )
        listener.settimeout(SECONDS)
        with end, listener.accept()[0] as other:
            other.settimeout(SECONDS)
            began = time.monotonic()
            other.sendall(b"hello")
            assert received(end, 5) == b"hello"
            assert time.monotonic() - began >= 0.045
    finally:
        found.child.end()
        listener.close()
    assert not found.child.running()
    assert where.path is None or not Path(where.path).parent.exists()


def test_a_distance_in_a_process_leads_to_the_server() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(SECONDS)
        found = link.away(f"http://127.0.0.1:{listener.getsockname()[1]}", 100, frozenset())
        try:
            where = urlsplit(found.url)
            end = socket.create_connection((where.hostname, where.port), SECONDS)
            with end, listener.accept()[0] as other:
                began = time.monotonic()
                other.sendall(b"hello")
                assert received(end, 5) == b"hello"
                assert time.monotonic() - began >= 0.045
        finally:
            found.child.end()


def test_a_link_that_does_not_start_fails_the_cell(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(CellFailed, match="the link to the database ended with code 1"):
        link.start(find("postgres"), "postgresql:///site?host=/nowhere", 1, frozenset())
