"""Options, fixtures and the page of the faults."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Generator, Iterator
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from race.machine import describe
from race.machine.cores import allowed
from runtime.paths import ROOT
from tests.long.faults.page import Record, Row, Run, Votes, page, summary, table
from tests.support.site_server import OURS, Databases

SEED = 11
_rows: list[Row] = []
_began = time.monotonic()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("faults made on purpose")
    group.addoption("--full", action="store_true", help="as often as docs/reliability.md says")
    group.addoption("--seed", type=int, default=SEED, help="of all that is random (%(default)s)")
    group.addoption("--page", type=Path, metavar="FILE", help="write the table into this page")


def pytest_configure(config: pytest.Config) -> None:
    line = "fault(name, promise, bound): the fault, what it must not break, seconds for a test"
    config.addinivalue_line("markers", line)


def pytest_itemcollected(item: pytest.Item) -> None:
    """Give each test of a fault the time that its marker says."""
    if marker := item.get_closest_marker("fault"):
        item.add_marker(pytest.mark.timeout(marker.kwargs["bound"]))


class Extent(NamedTuple):
    """The number of faults, and the seed of what is random about them."""

    full: bool
    seed: int

    def times(self, full: int, short: int) -> int:
        """Return the number of times for a full or a short run."""
        return full if self.full else short

    def seconds(self, promised: float) -> float:
        """Return a promised time, or thrice that time where other tests run beside this one."""
        return 3 * promised if "PYTEST_XDIST_WORKER" in os.environ else promised

    def random(self, name: str) -> random.Random:
        """Return a generator that gives the same numbers for the same seed and name."""
        return random.Random(f"{self.seed} {name}")  # noqa: S311 - it must be repeatable


# Options of this folder are unknown where pytest was started on another one: hence the defaults.
def extent_of(config: pytest.Config) -> Extent:
    return Extent(config.getoption("--full", False), config.getoption("--seed", SEED))


@pytest.fixture(scope="session")
def extent(pytestconfig: pytest.Config) -> Extent:
    return extent_of(pytestconfig)


@pytest.fixture(scope="module")
def databases(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Databases]:
    """Private databases of one file alone: what a fault leaves of them harms no other test."""
    folder = tmp_path_factory.mktemp("var")
    found = Databases(folder)
    with pytest.MonkeyPatch.context() as patch:
        for name in OURS:
            patch.delenv(name, raising=False)
        patch.setenv("VAR_DIR", str(folder))
        try:
            yield found
        finally:
            found.release()


@pytest.fixture
def record(request: pytest.FixtureRequest) -> Record:
    return Record(_subject(request.node))


def _subject(item: pytest.Item) -> str:
    """Return the parameter of the test: an engine, or the engine of a database."""
    return item.name.partition("[")[2].removesuffix("]") or "race run"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Put the record into the report, which pytest-xdist carries to the main process."""
    report = yield
    marker = item.get_closest_marker("fault")
    if marker and (report.when == "call" or not report.passed):
        found = getattr(item, "funcargs", {}).get("record", Record(_subject(item)))
        name, promise = marker.args
        # pytest-xdist carries plain tuples alone.
        saved = {**asdict(found), "votes": found.votes and tuple(found.votes)}
        report.user_properties.append(
            ("fault", {"fault": name, "promise": promise, "record": saved})
        )
    return report


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    for name, found in report.user_properties:
        if name == "fault":
            _rows.append(_row(report, found))  # type: ignore[arg-type]


def _row(report: pytest.TestReport, found: dict[str, Any]) -> Row:
    saved = found["record"]
    votes = saved["votes"] and Votes(*saved["votes"])
    record = Record(**{**saved, "votes": votes})
    return Row(found["fault"], found["promise"], record, report.outcome, _reason(report))


def _reason(report: pytest.TestReport) -> str:
    """Return why the test was skipped or failed, in a line."""
    if isinstance(report.longrepr, tuple):
        return f"not tried: {report.longrepr[2].removeprefix('Skipped: ')}"
    crash = getattr(report.longrepr, "reprcrash", None)
    return crash.message.splitlines()[0][:200] if crash else ""


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, exitstatus: int, config: pytest.Config
) -> None:
    """Print the table, and write the page unless the run was interrupted."""
    if not _rows:
        return
    terminalreporter.write_line("\n" + table(_rows) + summary(_rows))
    path = config.getoption("--page", None)
    if path and exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        path.write_text(page(_run(extent_of(config)), _rows), encoding="utf-8")


def _run(extent: Extent) -> Run:
    git = ["git", "-C", str(ROOT)]
    commit = describe.output([*git, "rev-parse", "--short", "HEAD"]) or "unknown"
    changed = describe.output([*git, "status", "--porcelain"])
    return Run(
        date=datetime.now(UTC).strftime("%Y-%m-%d"),
        commit=commit + (" with changes" if changed else ""),
        machine=f"{len(allowed())} cores of {describe.cpu_model()}",
        seed=extent.seed,
        minutes=max(1.0, (time.monotonic() - _began) / 60),
        full=extent.full,
    )
