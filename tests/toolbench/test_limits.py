"""The limits: the first subject of the second discipline, and its server for CPython 3.7."""

from __future__ import annotations

import subprocess
from pathlib import Path

import psutil
import pytest

from race.errors import CellFailed, RaceError
from race.machine.describe import current_python
from race.plan.read import from_json
from race.run.race import prepare
from race.web.databases import Databases
from runtime.interpreters import executable
from runtime.paths import ROOT
from tests.conftest import absent
from tests.support.race_lab import LIMITS, Race
from tests.support.records import contender
from tests.support.site_server import Databases as RunDatabases
from toolbench.drivers import DRIVERS, LOOP
from toolbench.limits import subject
from toolbench.limits.operations import OPERATIONS
from toolbench.shared import PARTIES, Shared

SECONDS = 20.0
WRK = {"load": {"generator": "wrk"}}

# Its pages ask one of their connections for something else.
ASKS_WRONG = """
import sys

sys.path.insert(0, {root!r})
from toolbench.limits import serve

honest = serve.pages


class Wrong:
    def __init__(self, connection):
        self.connection = connection

    def select(self, *words, **options):
        return self.connection.select(*words, **{{**options, {options}}})

    def upsert(self, space, row, changes):
        return self.connection.upsert(space, row, [["+", 3, 0]])


def pages(rows, connection):
    return honest({rows}, {connection})


serve.pages = pages
sys.exit(serve.main())
"""


@pytest.fixture
def old_python() -> Path:
    python = executable("3.7")
    if not python.exists():
        absent("the limits need CPython 3.7: run `make env`")
    return python


def test_the_listening_socket_names_its_protocol(old_python: Path) -> None:
    """asyncio of 3.7 sets TCP_NODELAY on no other: pipelined answers would wait 40 ms."""
    code = "from toolbench.limits.serve import listen; print(int(listen(0).proto))"
    command = [str(old_python), "-c", code]
    answer = subprocess.run(
        command, capture_output=True, text=True, timeout=SECONDS, cwd=ROOT, check=True
    )
    assert answer.stdout.strip() == "6"


def test_a_server_that_hangs_or_says_something_else_is_one_line_and_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subject, "FOLDER", tmp_path)
    monkeypatch.setattr(subject, "START_SECONDS", 1.0)
    factors = {LOOP: "asyncio", "python": current_python()}
    layout = {name: frozenset[int]() for name in PARTIES}
    before = psutil.Process().children()
    one = subject.start(contender("limits-asyncio", factors=factors), Shared(Databases()), layout)
    for program, complaint in (
        ("import time; time.sleep(60)", "not ready within"),
        ("print('hello', flush=True); import time; time.sleep(60)", "said 'hello' instead"),
        ("raise SystemExit(3)", "server ended with code 3"),
    ):
        (tmp_path / "serve.py").write_text(program)
        with pytest.raises(CellFailed, match=complaint):
            one.check("select-sync")
        assert psutil.Process().children() == before


@pytest.mark.parametrize(
    ("driver", "wrong", "options", "complaint"),
    [
        ("limits-asyncio", "rows", '"limit": 0', "select-sync reads 0 rows, not 9"),
        ("limits-asyncio", "connection", '"limit": 0', "select-async reads 0 rows, not 9"),
        ("limits-asyncio", "connection", '"offset": 1', "select-async reads other rows than it"),
        ("limits-asyncio", "connection", "", "upsert-async counts 0 visits, not 1"),
        ("limits-aiotarantool", "connection", '"limit": 0', "select-async reads 0 rows, not 9"),
        ("limits-aiotarantool", "connection", "", "upsert-async counts 0 visits, not 1"),
    ],
)
def test_a_page_that_does_something_else_is_one_line(
    driver: str,
    wrong: str,
    options: str,
    complaint: str,
    old_python: Path,
    databases: RunDatabases,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = {name: name for name in ("rows", "connection")} | {wrong: f"Wrong({wrong})"}
    program = ASKS_WRONG.format(root=str(ROOT), options=options, **asked)
    (tmp_path / "serve.py").write_text(program)
    monkeypatch.setattr(subject, "FOLDER", tmp_path)
    monkeypatch.setenv("TARANTOOL_URL", databases.hold("tarantool"))
    layout = {name: frozenset[int]() for name in PARTIES}
    factors = {LOOP: "asyncio", "python": "3.7"}
    one = subject.start(contender(driver, factors=factors), Shared(Databases()), layout)
    try:
        with pytest.raises(CellFailed, match=rf" \(serve.py: /{complaint}"):
            one.check("upsert-async")
    finally:
        one.close()


def test_every_operation_is_measured_and_counted(
    old_python: Path, tmp_path: Path, databases: RunDatabases
) -> None:
    path = tmp_path / "small.toml"
    path.write_text(
        'title = "Limits"\ndiscipline = "tools"\n'
        'drivers = ["limits-uvloop", "limits-aiotarantool"]\n'
        f"operations = {list(OPERATIONS)}\nrounds = 1\n".replace("'", '"')
        + '[load]\ngenerator = "wrk"\nconnections = 10\nduration_s = 0.6\nmax_connections = 10\n'
        + "[warmup]\nwindow_s = 0.2\nwindows = 1\n"
        + LIMITS
    )
    with Race(["run", str(path)], tmp_path / "results", databases.env()) as race:
        assert race.wait() == 0, race.text()
        saved = race.saved_race()
    assert saved.head.discipline.unit == "operations"
    assert {cell.task for cell in saved.cells} == set(OPERATIONS)
    for cell in saved.cells:
        assert cell.status == "ok", cell.reason
        assert cell.throughput is not None
        assert cell.meters["cpu_ns"]["driver"] > 0
        assert cell.facts == ({} if cell.task == "objects" else {"database_requests": 1})
    report = (saved.folder / "report.html").read_text()
    assert "operations" in report
    assert "A million result objects" in report


def test_what_cannot_be_measured_is_one_line() -> None:
    least = {"name": "x", "title": "t", "discipline": "tools", "operations": ["objects"], **WRK}
    with pytest.raises(RaceError, match="operations have no fixed rates"):
        prepare(from_json({**least, "drivers": ["*"], "load": {"generator": "wrk", "rates": [5]}}))
    with pytest.raises(RaceError, match="unknown driver 'limit-uvloop': did you mean"):
        prepare(from_json({**least, "drivers": ["limit-uvloop"]}))


def test_a_driver_that_is_absent_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    from dataclasses import replace

    for name, driver in DRIVERS.items():
        monkeypatch.setitem(DRIVERS, name, replace(driver, python="3.2"))
    least = {"name": "x", "title": "t", "discipline": "tools", "operations": ["objects"], **WRK}
    with pytest.raises(RaceError, match=r"no environment for CPython 3\.2: make env"):
        prepare(from_json({**least, "drivers": ["*"]}))
