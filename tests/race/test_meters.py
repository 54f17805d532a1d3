"""Meters against work of known size: real processes, real threads, the kernel's own counts."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from race.machine import cores, listener, meters
from race.machine.meters import CoreTime

BURN = """
import sys, time
def burn(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass
"""
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


@contextmanager
def python(code: str) -> Iterator[subprocess.Popen[bytes]]:
    """A process that ran `code`, said so, and waits."""
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    try:
        assert process.stdout is not None
        process.stdout.readline()
        yield process
    finally:
        process.communicate(timeout=10)


def test_cpu_of_a_thread_that_ended_is_kept() -> None:
    with python(THREAD + WAIT) as process:
        assert 0.2e9 <= meters.usage(process.pid).cpu_ns < 1.5e9


def test_cpu_of_a_child_that_was_waited_for_is_kept() -> None:
    with python(CHILD + WAIT) as process:
        assert meters.tree(process.pid) == [process.pid]
        assert 0.19e9 <= meters.usage(process.pid).cpu_ns < 1.5e9


def test_a_tree_holds_children_and_their_memory() -> None:
    with python(GRANDCHILD + "else:\n    sys.stdin.read()") as process:
        assert len(meters.tree(process.pid)) == 2
        both = meters.resident_bytes(process.pid)
        assert both is not None
        assert both > 2_000_000


def test_an_idle_process_uses_nothing_and_a_gone_one_is_empty() -> None:
    with python("import sys" + WAIT) as process:
        before = meters.usage(process.pid)
        assert meters.usage(process.pid).since(before).cpu_ns < 20e6
        pid = process.pid
    assert meters.tree(pid) == []
    assert meters.usage(pid) == meters.Usage()
    assert meters.usage(None) == meters.Usage()


def test_waiting_is_a_voluntary_switch() -> None:
    code = "import sys, time\nfor _ in range(50): time.sleep(0.001)"
    with python(code + WAIT) as process:
        assert meters.usage(process.pid).voluntary >= 50


def test_foreign_time_is_what_is_busy_and_not_ours() -> None:
    # 200 ticks passed, 90 of them busy; 40 ticks (of 10 ms here) were ours: (90 - 40) / 200.
    passed = CoreTime(busy=90, steal=0, idle=110, total=200)
    assert meters.foreign_fraction(passed, 40 * meters.TICK_NS) == 0.25
    assert meters.foreign_fraction(passed, 95 * meters.TICK_NS) == 0.0


def test_ticks_of_cores_add_up() -> None:
    before = {0: CoreTime(1, 2, 3, 6), 1: CoreTime(0, 0, 0, 0)}
    after = {0: CoreTime(11, 3, 23, 37), 1: CoreTime(5, 0, 5, 10)}
    assert meters.core_time_between(before, after) == CoreTime(15, 1, 25, 41)


def test_the_kernel_counts_our_cores() -> None:
    times = meters.core_times(cores.allowed())
    assert set(times) == os.sched_getaffinity(0)
    assert all(time.total > time.busy > 0 for time in times.values())


def test_server_is_alone_on_its_core() -> None:
    assert not cores.assign([3]).pinned
    two, many = cores.assign([0, 1]), cores.assign([0, 1, 2, 3])
    assert two.describe() == {"server": [0], "generator": [1], "database": [1]}
    assert two.generator_shares
    assert many.describe() == {"server": [0], "generator": [1], "database": [2]}
    assert not many.generator_shares


def test_pinning_running_processes_can_be_undone() -> None:
    with python(THREAD + WAIT) as process:
        whole = os.sched_getaffinity(process.pid)
        one = frozenset([min(whole)])
        before = cores.pin_tree([process.pid], one)
        assert os.sched_getaffinity(process.pid) == one
        cores.restore(before)
        assert os.sched_getaffinity(process.pid) == whole


def test_who_listens_at_a_url() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        assert listener.pid_of(f"tarantool://user:word@localhost:{port}") == os.getpid()
        assert listener.pid_of(f"postgresql://me@127.0.0.1:{port}/site") == os.getpid()
        assert listener.pid_of(f"tarantool://192.0.2.1:{port}") is None
    assert listener.pid_of(f"tarantool://localhost:{port}") is None


def test_who_listens_at_a_unix_socket() -> None:
    with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as server:
        server.bind(f"{folder}/.s.PGSQL.5432")
        server.listen()
        assert listener.pid_of(f"postgresql://postgres@/postgres?host={folder}") == os.getpid()
        assert listener.pid_of(f"tarantool://{folder}/.s.PGSQL.5432") == os.getpid()
        assert listener.pid_of(f"tarantool://{folder}/none") is None
