"""A driver as a contender: its runner, and the check of what it reads and writes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from race.discipline import Party, Sample
from race.errors import CellFailed
from race.machine import cores
from race.machine.cores import Layout
from race.machine.proc import tree
from race.machine.trees import pin_tree
from race.saved.model import Contender, Figures, Work
from race.stats.histogram import percentile
from toolbench import transport
from toolbench.check import Encoded, Texts, Types, complaint
from toolbench.drivers import DRIVERS
from toolbench.operation import OperationSpec
from toolbench.runner_process import RunnerProcess
from toolbench.shared import DATABASE, DRIVER, Shared
from toolbench.timeouts import TIMEOUTS
from toolbench.tool import FORMAT, LOOP, PLAIN, PREPARED, PROGRAM, STATEMENTS, TRANSPORT, Tool

PERCENTILES = (50.0, 75.0, 90.0, 95.0, 99.0, 99.9)


class CheckAnswer(Struct, frozen=True):
    """The answer to a check; `unsupported` is a kind that the driver has no call for."""

    rows: list[list[Encoded]] = []
    count: int = 0
    unsupported: str = ""


class LoadAnswer(Struct, frozen=True):
    """The answer to a load; `late` operations were still under way when the runner answered."""

    operations: int
    seconds: float
    histogram: list[tuple[float, int]]
    errors: dict[str, int] = {}
    latency_ns: dict[str, float] = {}
    beside_ns: int = 0
    late: int = 0


Answer = TypeVar("Answer", bound=Struct)


@dataclass
class DriverSubject:
    """A `race.discipline.Subject`.

    It has `failed` when the runner did not answer, or left an operation under way: the race then
    starts it again, and until then it does not run beside other contenders. By operation, `rows` is
    how many one has, and `right` what is right for which texts of the database.
    """

    contender: Contender
    shared: Shared
    layout: Layout
    runner: RunnerProcess
    failed: bool = False
    rows: dict[str, int] = field(default_factory=dict)
    right: dict[str, tuple[Texts, list[list[Encoded]]]] = field(default_factory=dict)

    @property
    def tool(self) -> Tool:
        """The driver's entry in the registry."""
        return DRIVERS[self.contender.name]

    def parties(self) -> Mapping[str, Party]:
        """Return the driver, which is its own load generator, and the database."""
        pid = self.shared.databases.pid(self.tool.database)
        return {
            DRIVER: Party(self.runner.child.pid, self.layout[DRIVER]),
            DATABASE: Party(pid, self.layout[DATABASE]),
        }

    def alive(self) -> bool:
        """Return whether the runner runs, and has answered so far."""
        return not self.failed and self.runner.child.running()

    def resume(self) -> None:
        """Pin the runner and the database to the cores that are measured."""
        self.shared.databases.pin(self.layout[DATABASE])
        pin_tree(tree(self.runner.child.pid), self.layout[DRIVER])

    def pause(self) -> None:
        """Move the runner off the measured cores; end it if an operation may be under way."""
        if self.failed:
            self.runner.child.end()
            return
        pin_tree(tree(self.runner.child.pid), cores.resting(self.layout))

    def check(self, task: str) -> None:
        """Raise CellFailed unless every value that the operation reads or writes is right."""
        operation = self.shared.operations[task]
        self.shared.references[self.tool.database].run(operation.reset)
        question = {"do": "check", "operation": operation.message()}
        for _ in range(operation.checks - 1):
            self._ask(question, TIMEOUTS.check, CheckAnswer)
        answer = self._ask(question, TIMEOUTS.check, CheckAnswer)
        if answer.unsupported:
            kind = answer.unsupported
            raise CellFailed(f"it has nothing for {kind}, which its line in the registry must say")
        if wrong := self._wrong(operation, answer):
            raise CellFailed(wrong)
        self.rows[task] = operation.rows or answer.count

    def drive(self, work: Work) -> Sample:
        """Let the runner do an operation with this many workers for a while."""
        load = work.load
        question = {
            "do": "drive",
            "operation": work.task,
            "seconds": load.duration_s,
            "concurrency": load.connections,
            "overtime": TIMEOUTS.overtime,
        }
        limit = load.duration_s + TIMEOUTS.overtime + TIMEOUTS.load
        answer = self._ask(question, limit, LoadAnswer)
        self.failed = answer.late > 0
        return sample(answer)

    def facts(self, task: str) -> Figures:
        """Return how many rows one operation reads or writes."""
        return {"rows": self.rows[task]}

    def close(self) -> None:
        """End the runner."""
        self.runner.child.end()

    def _ask(self, question: Mapping[str, Any], seconds: float, form: type[Answer]) -> Answer:
        try:
            return msgspec.convert(self.runner.ask(question, seconds), form)
        except CellFailed:
            self.failed = True
            raise
        except msgspec.ValidationError as error:
            raise CellFailed(f"{DRIVER} gave no result: {error}") from None

    def _wrong(self, operation: OperationSpec, answer: CheckAnswer) -> str | None:
        """Return what is wrong with what the driver read or wrote."""
        reference = self.shared.references[self.tool.database]
        who = f"{self.contender.name}, {operation.name}"
        if operation.writes:
            return wrong_rows(who, operation.left, reference.after(operation))
        texts = reference.expected(operation)
        if operation.columns and operation.rows not in (None, len(texts)):
            return f"{who}: the database has {len(texts):,} rows, not {operation.rows:,}"
        return complaint(who, self._right(operation, texts), answer.rows)

    def _right(self, operation: OperationSpec, texts: Texts) -> list[list[Encoded]]:
        """Return what is right for the database's texts, which seldom change."""
        before, right = self.right.get(operation.name, ((), []))
        if texts != before:
            binary = self.contender.factors.get(FORMAT) == "binary"
            gives = {**self.tool.gives, **(self.tool.gives_binary if binary else {})}
            types = Types(self.shared.references[self.tool.database].types, gives)
            right = types.rows(operation.columns, texts)
            self.right[operation.name] = texts, right
        return right


def sample(answer: LoadAnswer) -> Sample:
    """Return the measurement of a load, with latencies in microseconds.

    Workers always wait for an answer: `busy_connections` is how many of them the latencies show.
    """
    latency = {name: ns / 1000 for name, ns in answer.latency_ns.items()}
    found = {f"p{percent:g}": percentile(answer.histogram, percent) for percent in PERCENTILES}
    waited_ns = answer.latency_ns.get("mean", 0.0) * answer.operations
    return Sample(
        count=answer.operations,
        seconds=answer.seconds,
        errors=answer.errors,
        latency_us={**latency, **{name: us for name, us in found.items() if us is not None}},
        histogram=answer.histogram,
        busy_connections=waited_ns / 1e9 / answer.seconds if answer.seconds else None,
        beside_ns={DRIVER: answer.beside_ns},
    )


def wrong_rows(who: str, right: Texts, left: Texts) -> str | None:
    """Return the first difference between the rows that a write left and those that are right."""
    if len(left) != len(right):
        return f"{who}: it left {len(left):,} rows where {len(right):,} are right"
    for number, (row, must) in enumerate(zip(left, right, strict=True), start=1):
        if list(row) != list(must):
            return f"{who}: it left {list(row)} in row {number} where {list(must)} is right"
    return None


def start(contender: Contender, shared: Shared, layout: Layout) -> DriverSubject:
    """Start a driver's runner with one open connection; CellFailed if it does not open one."""
    return DriverSubject(contender, shared, layout, started(contender, shared, layout))


def started(contender: Contender, shared: Shared, layout: Layout) -> RunnerProcess:
    """Return a contender's runner, which has opened its driver."""
    tool, factors = DRIVERS[contender.name], contender.factors
    address = shared.address(tool.database, factors[TRANSPORT])
    question = {
        "do": "open",
        "driver": contender.name,
        "address": transport.message(tool.database, address),
        "options": {
            "prepared": factors.get(STATEMENTS) == PREPARED,
            "loop": factors.get(LOOP, ""),
            "format": factors.get(FORMAT, ""),
            "program": factors.get(PROGRAM, PLAIN),
        },
    }
    runner = RunnerProcess(tool.command(), layout[DRIVER])
    try:
        runner.ask(question, TIMEOUTS.start)
    except BaseException:
        runner.child.end()
        raise
    return runner
