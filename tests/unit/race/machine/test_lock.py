"""The GIL: what a process tells of it, and what a race makes of that."""

from __future__ import annotations

import json
import os
import sys
import threading
import time
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

from race.discipline import Sample
from race.machine import lock as reading
from race.machine.lock import LockFolder
from race.run.measure import Measurement
from race.run.rules import judge
from race.saved.model import Limits, Load
from runtime import lock

# As import.c of CPython says it.
WARNING = (
    "The global interpreter lock (GIL) has been enabled to load module 'asyncpg.protocol.protocol'"
    ", which has not declared that it can run safely without the GIL. To override this behavior "
    "and keep the GIL disabled (at your own risk), run with PYTHON_GIL=0 or -Xgil=0."
)


@pytest.fixture
def folder() -> Iterator[LockFolder]:
    found = LockFolder()
    yield found
    found.close()


def write(folder: LockFolder, pid: int, taken: bool, by: str | None = None, age: float = 0) -> None:
    path = Path(folder.env[lock.VARIABLE], f"{pid}.json")
    path.write_text(json.dumps({"taken": taken, "by": by}))
    then = time.time() - age
    os.utime(path, (then, then))


def test_all_workers_without_the_lock_are_fine(folder: LockFolder) -> None:
    write(folder, 11, taken=False)
    write(folder, 12, taken=False)
    assert folder.problems([10, 11, 12], 2, time.time()) == ()  # 10 is the supervisor


def test_who_took_the_lock_is_named_and_the_cell_invalid(folder: LockFolder) -> None:
    write(folder, 11, taken=False)
    write(folder, 12, taken=True, by="asyncpg.protocol.protocol")
    found = folder.problems([11, 12], 2, time.time())
    text = "the GIL was enabled again in 1 of 2 processes, by asyncpg.protocol.protocol"
    assert found == (text,)
    meters = {"busy": {"server": 1.0}, "cpu_ns": {}, "cores": {"steal": 0.0, "foreign": 0.0}}
    sample = Sample(2000, 2.0, problems=found)
    judged = judge(Limits(), Load("wrk", 10), Measurement(sample, meters))
    assert (judged.reasons, judged.own_fault) == ((text,), True)


def test_a_worker_that_says_nothing_is_not_taken_for_one_without_the_lock(
    folder: LockFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "WAIT_SECONDS", 0.0)
    write(folder, 11, taken=False)
    write(folder, 12, taken=False, age=60)
    known = "the state of the GIL is known of 1 of 2 processes only"
    assert folder.problems([11, 12, 13], 2, time.time()) == (known,)


def test_a_worker_that_is_late_is_waited_for(folder: LockFolder) -> None:
    write(folder, 11, taken=True, by="late", age=60)
    writing = threading.Timer(0.1, write, (folder, 11, True, "late"))
    writing.start()
    text = "the GIL was enabled again in 1 of 1 processes, by late"
    assert folder.problems([11], 1, time.time()) == (text,)
    writing.join()


def test_the_folder_goes_with_its_server(folder: LockFolder) -> None:
    folder.close()
    assert not Path(folder.env[lock.VARIABLE]).exists()


def test_the_module_is_read_from_the_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[str] = []
    cause = lock._Cause()
    cause._show = lambda message, *others, **named: shown.append(str(message))
    monkeypatch.setattr(warnings, "showwarning", cause.show)
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        monkeypatch.setattr(warnings, "showwarning", cause.show)
        modules = []
        for message in ("something else", WARNING):
            warnings.warn(message, RuntimeWarning, stacklevel=1)
            modules.append(cause.module)
    assert modules == [None, "asyncpg.protocol.protocol"]
    assert shown == ["something else", WARNING]


def test_a_build_that_always_has_the_lock_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(sys, "_is_gil_enabled", raising=False)
    assert lock.taken()
    monkeypatch.setattr(sys, "_is_gil_enabled", lambda: False, raising=False)
    assert not lock.taken()


def test_a_process_tells_its_state_only_where_it_is_asked(
    folder: LockFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = Path(folder.env[lock.VARIABLE])
    monkeypatch.delenv(lock.VARIABLE, raising=False)
    lock.tell()
    assert list(place.iterdir()) == []
    monkeypatch.setenv(lock.VARIABLE, str(place))
    lock.tell()
    until = time.monotonic() + 5
    while not (place / f"{os.getpid()}.json").exists() and time.monotonic() < until:
        os.sched_yield()
    assert json.loads((place / f"{os.getpid()}.json").read_bytes()).keys() == {"taken", "by"}
