"""The limits' server for CPython 3.7, and the objects that are built without it."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from race.errors import CellFailed
from race.machine.describe import current_python
from race.saved.model import Load, Work
from race.timeouts import TIMEOUTS
from race.web import servers
from race.web.databases import Databases
from runtime.interpreters import executable
from runtime.paths import ROOT
from tests.conftest import absent
from tests.support.records import contender
from tests.support.site_server import Databases as RunDatabases
from toolbench.limits import subject
from toolbench.limits.operations import OPERATIONS
from toolbench.limits.subject import LimitsSubject
from toolbench.shared import PARTIES, Shared
from toolbench.tool import LOOP

WRONG = """
import sys
sys.path.insert(0, {root!r})
from toolbench.limits import pages, serve
pages.ONE_MORE_VISIT = [["+", 3, 0]]
sys.exit(serve.main())
"""


@pytest.fixture
def old_python() -> Path:
    python = executable("3.7")
    if not python.exists():
        absent("the limits need CPython 3.7: run `make env`")
    return python


@contextmanager
def started(driver: str, python: str = "3.7") -> Iterator[LimitsSubject]:
    layout = {name: frozenset[int]() for name in PARTIES}
    factors = {LOOP: "asyncio", "python": python}
    one = subject.start(contender(driver, factors=factors), Shared(Databases()), layout)
    try:
        yield one
    finally:
        one.close()


def test_the_listening_socket_names_its_protocol(old_python: Path) -> None:
    """asyncio of 3.7 otherwise sets no TCP_NODELAY, and pipelined answers wait 40 ms."""
    code = "from runtime.listen import listen; print(int(listen(0).proto))"
    command = [str(old_python), "-c", code]
    answer = subprocess.run(
        command, capture_output=True, text=True, timeout=20.0, cwd=ROOT, check=True
    )
    assert answer.stdout.strip() == "6"


def test_a_server_that_does_not_serve_is_one_line_and_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subject, "FOLDER", tmp_path)
    monkeypatch.setattr(servers, "TIMEOUTS", TIMEOUTS._replace(server_start=1.0))
    before = psutil.Process().children()
    with started("limits-asyncio", current_python()) as one:
        for program, complaint in (
            ("import time; time.sleep(60)", "not ready within"),
            ("print('hello', flush=True); import time; time.sleep(60)", "said 'hello' instead"),
            ("raise SystemExit(3)", "server ended with code 3"),
        ):
            (tmp_path / "serve.py").write_text(program)
            with pytest.raises(CellFailed, match=complaint):
                one.check("select-sync")
            assert psutil.Process().children() == before


def test_a_page_that_does_something_else_is_one_line(
    old_python: Path, databases: RunDatabases, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subject, "FOLDER", tmp_path)
    monkeypatch.setenv("TARANTOOL_URL", databases.hold("tarantool"))
    (tmp_path / "serve.py").write_text(WRONG.format(root=str(ROOT)))
    complaint = r" \(serve.py: /upsert-async counts 0 visits, not 1"
    with started("limits-asyncio") as one, pytest.raises(CellFailed, match=complaint):
        one.check("upsert-async")


@pytest.mark.parametrize("driver", ["limits-uvloop", "limits-aiotarantool"])
def test_every_operation_is_driven(
    driver: str,
    old_python: Path,
    databases: RunDatabases,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TARANTOOL_URL", databases.hold("tarantool"))
    with started(driver) as one:
        for task in OPERATIONS:
            one.check(task)
            for depth in (1, 24) if OPERATIONS[task].pipelines else (1,):
                load = Load("wrk", 4, pipeline=depth, duration_s=0.3, fixed=True)
                sample = one.drive(Work(task, load))
                assert sample.count > 0
                assert sample.failed == 0
            assert one.facts(task) == ({} if task == "objects" else {"database_requests": 1})
