"""Each fault done once: it sees a server that does not keep what is promised, and one that does."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from chaos.faults import (
    bodies,
    disk,
    harness,
    hostile,
    memory,
    pipelined,
    slow,
    supervisors,
    workers,
)
from chaos.faults import databases as kills
from chaos.lab import Lab, stored, waiting
from chaos.lab import memory as used
from databases import find
from race.machine.process import Child
from race.web.engines import catalogue
from race.web.servers import Server, serving
from tests.conftest import absent

# Answers everything with an error, keeps every byte that comes, and lets nobody go.
BAD = """
import os, socket, threading

kept = []
listening = socket.create_server(("127.0.0.1", 0), backlog=1024)
url = f"http://127.0.0.1:{listening.getsockname()[1]}"
print(f"serving bad-memory-one on {url} (CPython 3.13, pid {os.getpid()})", flush=True)

def serve(connection):
    kept.append(connection)
    first = connection.recv(65536)
    kept.append(first)
    if b"/ugly" in first:
        connection.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Length: 4\\r\\n\\r\\nUGLY")
        return
    if not first.startswith(b"POST / HTTP/1.1\\r\\nHost: x\\r\\nContent-Type"):
        connection.sendall(b"HTTP/1.1 500 Oh\\r\\nContent-Length: 0\\r\\n\\r\\n")
    while part := connection.recv(1 << 20):
        kept.append(part)

while True:
    threading.Thread(target=serve, args=(listening.accept()[0],), daemon=True).start()
"""


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    made = Lab(tmp_path, short=True, seed=11, say=lambda line: None)
    yield made
    made.close()


@pytest.fixture
def bad() -> Iterator[Server]:
    server = serving(Child([sys.executable, "-c", BAD], talks=True))
    yield server
    server.child.end()


@pytest.fixture
def good(lab: Lab) -> Iterator[Server]:
    with lab.server("aiohttp-memory-one") as server:
        yield server


def needs(database: str) -> None:
    if missing := find(database).missing():
        absent(missing)


def test_engines_are_chosen_so_that_every_part_is_among_them() -> None:
    factors = catalogue().factors
    asks = {one.factors["backend"] for one in catalogue().entries if one.database}
    assert [one.factors["backend"] for one in stored()] == [
        one for one in factors["backend"] if one in asks
    ]
    assert {one.factors["web"] for one in waiting()} == set(factors["web"])
    runs = [one for one in stored() if one.problem is None]
    assert len({one.factors["web"] for one in runs}) > 1


def test_a_server_that_answers_with_errors_is_seen(
    lab: Lab, bad: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hostile, "ANSWER_SECONDS", 0.3)
    seen = hostile.tried(lab, "bad", bad)
    assert any(line.endswith(": 500") for line in seen.complaints)


def test_a_server_that_refuses_them_survives(lab: Lab, good: Server) -> None:
    seen = hostile.tried(lab, "good", good)
    assert seen.complaints == []
    assert seen.tried == f"{hostile.SHORT} inputs"


def test_a_server_that_keeps_a_body_is_seen(
    lab: Lab, bad: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bodies, "SECONDS", 2.5)
    monkeypatch.setattr(bodies, "FLOODS", dict(list(bodies.FLOODS.items())[:2]))
    complaints = bodies.flooded(lab, "bad", bad).complaints
    assert any("refused after 2.5 s" in line for line in complaints)
    assert any(" sent: memory grew by " in line for line in complaints)


def test_slow_clients_that_stay_are_seen(
    lab: Lab, bad: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(slow, "GONE_SECONDS", 1.0)
    seen = slow.besieged(lab, "bad", bad.url)
    assert seen.tried == "110 clients"
    assert any("are still there after 1 s" in line for line in seen.complaints)


def test_slow_clients_that_are_sent_away_are_counted(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    closes = BAD.replace("kept.append(connection)", "connection.close(); return")
    server = serving(Child([sys.executable, "-c", closes], talks=True))
    try:
        seen = slow.besieged(lab, "closing", server.url)
    finally:
        server.child.end()
    assert len(seen.recovery) == 1
    assert [line for line in seen.complaints if "still there" in line] == []


def test_memory_of_a_process_is_told() -> None:
    assert 4 << 20 < used(os.getpid()) < 1 << 30
    assert used(2**22 + 1) == 0


def test_too_much_memory_is_seen(good: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    load = Child(["true"])
    try:
        monkeypatch.setattr(memory, "MOST", 1 << 20)
        one = memory.Loaded("good", good, load, 0, used(good.child.pid))
        complaints = memory.told(one, 1).complaints
    finally:
        load.end()
    assert any(line.endswith("MB of memory") for line in complaints)
    assert any(line.startswith("the load ended with code 0") for line in complaints)


def test_a_database_is_killed_under_votes(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    needs("tarantool")
    monkeypatch.setattr(kills, "SHORT", 2)
    entry = next(one for one in stored() if one.database == "tarantool")
    (seen,) = kills.each(lab, [entry])
    assert seen.complaints == []
    assert len(seen.recovery) == 2
    assert seen.votes is not None
    assert seen.votes.acknowledged > 2


def test_the_supervisor_of_a_database_is_found(lab: Lab) -> None:
    needs("tarantool")
    handle = lab.database("tarantool")
    supervisor = supervisors.supervisor_of(handle)
    assert supervisor is not None
    assert supervisor != handle.pid
    words = Path(f"/proc/{supervisor}/cmdline").read_text().split("\0")
    assert supervisors.SUPERVISOR in words
    assert "tarantool" in words


def test_a_page_that_is_pipelined_is_served_again(lab: Lab) -> None:
    needs("tarantool")
    entry = next(one for one in waiting() if one.factors["web"] == "aiohttp")
    lab.database("tarantool")
    with lab.server(entry.name) as server:
        seen = pipelined.pressed(lab, entry, server)
    assert seen.complaints == []
    assert len(seen.recovery) == pipelined.SHORT


def test_a_server_that_gives_up_is_seen(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    """It has no workers that could be killed, so that it is killed itself."""
    monkeypatch.setattr(workers, "PATIENCE_SECONDS", 0.5)
    with lab.server("aiohttp-memory-one") as server:
        monkeypatch.setattr(workers, "_workers", lambda server: [server.child.pid])
        seen = workers.killed(lab, "x", server)
    assert seen.complaints == ["after 1 kills the server killed by SIGKILL"]


def test_what_outlives_the_harness_is_seen(tmp_path: Path) -> None:
    mark = "CHAOS_MARK=0123456789"
    assert harness.marked(mark) == []
    other = subprocess.Popen(["sleep", "60"], env={"CHAOS_MARK": "0123456789"})
    try:
        assert harness.marked(mark) == [other.pid]
    finally:
        other.kill()
        other.wait()
    assert harness.marked(mark) == []


def test_a_harness_is_killed_and_leaves_nobody(lab: Lab) -> None:
    path = harness.scenario(lab.folder, ["aiohttp-memory-one"])
    gone, complaint = harness.killed(lab, path, 0, 2.0, signal.SIGKILL)
    assert complaint == ""
    assert gone is not None


@pytest.mark.parametrize(
    ("status", "said", "complaint"),
    [
        (2, "race: cannot save results in x: No space left on device\n", ""),
        (0, "", "it ended as if all were well"),
        (1, "race: a\nrace: b\n", "2 lines say why: 'race: a\\nrace: b'"),
        (1, "", "0 lines say why: ''"),
        (1, "Traceback (most recent call last):\nOSError: full\n", "a traceback: OSError: full"),
    ],
)
def test_how_a_full_disk_is_told(status: int, said: str, complaint: str) -> None:
    ended = subprocess.CompletedProcess(["race"], status, "", said)
    assert disk.ill_said(ended) == complaint


def test_a_small_disk_is_full_until_it_is_enlarged(tmp_path: Path) -> None:
    place = tmp_path / "disk"
    with contextlib.ExitStack() as stack:
        try:
            stack.enter_context(disk.disk(place, "8192"))
        except OSError as error:
            pytest.skip(str(error))
        with pytest.raises(OSError, match="No space left"):
            (place / "much").write_bytes(bytes(20_000))
        disk.resize(place, 65_536)
        (place / "much").write_bytes(bytes(20_000))
    assert list(place.iterdir()) == []
