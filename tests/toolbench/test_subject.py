"""A driver as a contender: wrong results are caught before they are timed, trouble is one line."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

import psutil
import pytest

from race.errors import CellFailed
from race.saved.model import Contender, Load, Work
from race.web.databases import Databases
from runtime.paths import ROOT
from toolbench import subject
from toolbench.check import Texts
from toolbench.drivers import DRIVERS, TRANSPORT, Tool
from toolbench.operation import Operation
from toolbench.shared import PARTIES, Shared

NAME = "asyncpg"
INTS = Operation(
    name="ints", title="Ints", text="Three.", kind="query", columns=(("i", "int4"),), rows=3
)
WRITES = Operation(
    name="puts",
    title="Puts",
    text="Three.",
    kind="batch",
    rows=3,
    after="how many",
    after_rows=((3, "a"),),
    reset=("nothing",),
)


class Told(Tool):
    """The fake runner, told by its target what to do."""

    def command(self) -> list[str]:
        return [
            sys.executable,
            str(ROOT / "tests" / "toolbench" / "runner" / "fake_runner.py"),
            self.target,
        ]


@dataclass
class Truth:
    """`toolbench.reference.Reference`."""

    texts: Texts = (("2",), ("3",), ("4",))
    left: Texts = (("3", "a"),)
    resets: int = 0
    types: Mapping[str, str] = field(default_factory=lambda: {"int4": "int"})

    def prepare(self, operation: Operation) -> None:
        """Nothing."""

    def reset(self, operation: Operation) -> None:
        """Counted."""
        self.resets += len(operation.reset)

    def expected(self, operation: Operation) -> Texts:
        return self.texts

    def after(self, operation: Operation) -> Texts:
        return self.left

    def close(self) -> None:
        """Nothing."""


Start = Callable[..., subject.Driven]


@pytest.fixture
def start(monkeypatch: pytest.MonkeyPatch) -> Iterator[Start]:
    """Starts a subject on the fake runner."""
    before = psutil.Process().children()
    started: list[subject.Driven] = []
    monkeypatch.setattr(subject, "operations", lambda: {"ints": INTS, "puts": WRITES})
    monkeypatch.setenv("DATABASE_URL", "postgresql://somebody@127.0.0.1/some")

    def begin(what: str, truth: Truth | None = None) -> subject.Driven:
        monkeypatch.setitem(DRIVERS, NAME, Told(what, database="postgres"))
        shared = Shared(Databases(), {}, {"postgres": truth or Truth()})
        contender = Contender(label=NAME, name=NAME, factors={TRANSPORT: "tcp"})
        layout = {party: frozenset[int]() for party in PARTIES}
        started.append(subject.start(contender, shared, layout))
        return started[-1]

    yield begin
    for one in started:
        one.close()
    assert psutil.Process().children() == before


def test_what_is_right_is_driven(start: Start) -> None:
    one = start("right")
    one.check("ints")
    assert one.facts("ints") == {"rows": 3}
    sample = one.drive(Work("ints", Load("runner", 1, duration_s=0.5, fixed=True)))
    assert (sample.count, sample.seconds, sample.failed) == (3, 0.5, 0)
    assert sample.latency_us["mean"] == 2000
    assert sample.latency_us["p50"] == 2000
    assert sample.latency_us["p99"] == 3000
    assert sample.busy_connections == pytest.approx(3 * 0.002 / 0.5)
    assert sample.beside_ns == {"driver": 5}
    assert one.alive()
    assert list(one.parties()) == ["driver", "database"]


@pytest.mark.parametrize(
    ("what", "told"),
    [
        ("wrong type", "asyncpg, ints: row 3, column 1 is text '4' where int 4 is right"),
        ("wrong value", "asyncpg, ints: row 3, column 1 is int 5 where int 4 is right"),
        ("a row too few", "asyncpg, ints: 2 rows where 3 are right"),
        ("a column too many", "asyncpg, ints: row 1 has 2 columns where 1 are right"),
        ("null", "asyncpg, ints: row 1, column 1 is null where int 2 is right"),
        ("no pair", "asyncpg, ints: row 3, column 1 is no pair of a tag and a text, but ['int']"),
        ("no list", "asyncpg, ints: row 3, column 1 is no pair of a tag and a text, but ['array"),
        ("has nothing", "it has nothing for query, which its line in the registry must say"),
        ("forgets", "driver gave no result: "),
    ],
)
def test_a_wrong_result_is_caught_before_it_is_timed(start: Start, what: str, told: str) -> None:
    one = start(what)
    with pytest.raises(CellFailed) as raised:
        one.check("ints")
    assert str(raised.value).startswith(told)
    assert one.alive()


@pytest.mark.parametrize(
    ("what", "told"),
    [
        ("dies", "driver ended with code 1 (it is over)"),
        ("is killed", "driver killed by SIGKILL"),
        ("is silent", "driver did not answer to check within 1 s"),
        ("mumbles", "driver said '\"hm\"' instead of an answer"),
        ("fails", "it did not work"),
    ],
)
def test_who_does_not_answer_is_started_again(
    start: Start, what: str, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subject, "CHECK_SECONDS", 1.0)
    one = start(what)
    with pytest.raises(CellFailed) as raised:
        one.check("ints")
    assert str(raised.value) == told
    assert not one.alive()


def test_who_left_something_under_way_does_not_go_on_beside_others(start: Start) -> None:
    one = start("is late")
    assert one.drive(Work("ints", Load("runner", 1, duration_s=0.5, fixed=True))).count == 3
    assert not one.alive()
    assert one.runner.child.running()
    one.rest()
    assert not one.runner.child.running()


def test_a_write_is_right_by_what_it_leaves_behind(start: Start) -> None:
    truth = Truth()
    one = start("right", truth)
    one.check("puts")
    one.check("puts")
    assert truth.resets == 2
    assert one.facts("puts") == {"rows": 3}
    truth.left = (("2", "a"),)
    with pytest.raises(CellFailed) as raised:
        one.check("puts")
    told = "asyncpg, puts: it left [['2', 'a']] where [['3', 'a']] is right"
    assert str(raised.value) == told


def test_a_database_without_the_rows_is_no_drivers_fault(start: Start) -> None:
    with pytest.raises(CellFailed, match="the database has 1 rows, not 3"):
        start("right", Truth(texts=(("2",),))).check("ints")


def test_what_the_database_has_may_change(start: Start) -> None:
    truth = Truth()
    one = start("right", truth)
    one.check("ints")
    truth.texts = (("2",), ("3",), ("5",))
    with pytest.raises(CellFailed, match="is int 4 where int 5 is right"):
        one.check("ints")


def test_a_driver_that_does_not_come_up_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://somebody@127.0.0.1:1/some")
    before = psutil.Process().children()
    contender = Contender(label=NAME, name=NAME, factors={TRANSPORT: "tcp"})
    layout = {party: frozenset[int]() for party in PARTIES}
    with pytest.raises(CellFailed, match="Connect"):
        subject.start(contender, Shared(Databases()), layout)
    assert psutil.Process().children() == before
