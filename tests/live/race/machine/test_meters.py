"""Meters against work of known size: real processes, real threads, the kernel's own counts."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile

import pytest

from race.discipline import Party, Sample
from race.machine import listener
from race.machine.meters import METERS, Parties, meters
from race.machine.meters.cpu import Cpu
from race.machine.meters.peak import Peak
from race.machine.meters.switches import Switches
from race.machine.proc import clocks, cpu_ns, tree, used_between
from race.machine.trees import resident_bytes
from race.saved.model import Figures
from runtime.address import Address
from tests.support.burner import BURN, python

THREAD = (
    BURN + "import threading; t = threading.Thread(target=burn, args=(0.2,)); t.start(); t.join()"
)
CHILD = (
    BURN
    + """
import os
if os.fork() == 0:
    burn(0.2)
    os._exit(0)
os.wait()
"""
)
GRANDCHILD = """
import os, sys, time
if os.fork() == 0:
    print("x", flush=True)
    sys.stdin.read()
    os._exit(0)
"""
WAIT = "\nprint('ready', flush=True); sys.stdin.read()"


def test_cpu_of_a_thread_that_ended_is_kept() -> None:
    with python(THREAD + WAIT) as process:
        assert 0.2e9 <= cpu_ns(process.pid) < 1.5e9


def test_cpu_of_a_child_that_was_waited_for_is_kept() -> None:
    with python(CHILD + WAIT) as process:
        assert tree(process.pid) == [process.pid]
        assert 0.19e9 <= cpu_ns(process.pid) < 1.5e9


def test_a_tree_holds_children_and_their_memory() -> None:
    with python(GRANDCHILD + "else:\n    sys.stdin.read()") as process:
        assert len(tree(process.pid)) == 2
        assert resident_bytes(process.pid) > 2_000_000


def party(pid: int | None) -> Parties:
    """A process that may run anywhere."""
    return {"one": Party(pid)}


def test_an_idle_process_uses_nothing_and_a_gone_one_is_empty() -> None:
    meter, sample = Cpu(), Sample(1, 1.0, cpu_ns={"load": 7})
    with python("import sys" + WAIT) as process:
        before = meter.read(party(process.pid))
        found = meter.between(before, meter.read(party(process.pid)), sample, {})
        assert found["one"] < 20e6
        assert found["load"] == 7
        assert found["harness"] > 0
        pid = process.pid
    assert tree(pid) == []
    assert tree(None) == []
    assert meter.read(party(pid))["one"] == 0
    assert "one" not in meter.read(party(None))
    assert Switches().read(party(None)) == {"voluntary": 0, "involuntary": 0}


def test_the_harness_is_not_charged_for_generators_that_it_waited_for() -> None:
    meter = Cpu()
    before = meter.read(party(None))
    subprocess.run([sys.executable, "-c", BURN + "burn(0.3)"], check=True, timeout=20)
    after = meter.read(party(None))
    assert meter.between(before, after, Sample(1, 1.0), {})["harness"] < 0.2e9


def test_processes_that_began_are_seen_among_all_and_ours_are_not() -> None:
    before = clocks({os.getpid()})
    if before is None:
        pytest.skip("not all processes can be seen here")
    with python(CHILD + THREAD + WAIT) as process:
        others, ours = clocks({os.getpid()}), clocks({os.getpid(), process.pid})
    assert others is not None
    assert ours is not None
    assert used_between(before, others) >= 0.39e9
    assert others.keys() - ours.keys() >= {process.pid}


def test_waiting_is_a_voluntary_switch() -> None:
    code = "import sys, time\nfor _ in range(50): time.sleep(0.001)"
    with python(code + WAIT) as process:
        assert Switches().read(party(process.pid))["voluntary"] >= 50


def test_the_most_memory_is_that_of_one_load() -> None:
    meter, sample = Peak(), Sample(1, 1.0)
    with python("import sys; len(b'x' * 60_000_000)" + WAIT) as process:
        before = meter.read(party(process.pid))
        assert before["one"] > 60_000_000
        after = meter.read(party(process.pid))
        assert 1_000_000 < meter.between(before, after, sample, {})["one"] < 60_000_000
        pid = process.pid
    assert meter.read(party(pid)) == {"one": 0}
    assert meter.read(party(None)) == {}
    assert meter.between({}, after, sample, {}) == {}


def test_every_meter_of_the_registry_reads_a_process() -> None:
    made = meters()
    assert list(made) == list(METERS)
    found: dict[str, Figures] = {}
    for name, meter in made.items():
        assert meter.unit
        here = party(os.getpid())
        found[name] = meter.between(meter.read(here), meter.read(here), Sample(1, 0.1), found)
    assert found["memory_bytes"]["one"] > 1_000_000
    assert 0 <= found["cores"]["steal"] <= 1


def test_who_listens_at_a_port() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        assert listener.pid_of(Address(None, "localhost", port)) == os.getpid()
        assert listener.pid_of(Address(None, "127.0.0.1", port)) == os.getpid()
        assert listener.pid_of(Address(None, "192.0.2.1", port)) is None
    assert listener.pid_of(Address(None, "localhost", port)) is None


def test_who_listens_at_a_unix_socket() -> None:
    with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as server:
        path = f"{folder}/.s.PGSQL.5432"
        server.bind(path)
        server.listen()
        assert listener.pid_of(Address(path, "", 0)) == os.getpid()
        assert listener.pid_of(Address(path + "none", "", 0)) is None


def test_of_those_that_share_a_socket_the_oldest_serves() -> None:
    code = """
import os, socket, sys
server = socket.create_server(("127.0.0.1", 0))
if os.fork():
    sys.stdout.write(str(server.getsockname()[1]) + chr(10))
    sys.stdout.flush()
sys.stdin.read()
"""
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    try:
        assert process.stdout is not None
        port = int(process.stdout.readline())
        assert listener.pid_of(Address(None, "127.0.0.1", port)) == process.pid
    finally:
        process.communicate(timeout=10)
