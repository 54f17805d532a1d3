"""A driver as a contender: its process, which speaks the contract of runners, and its database."""

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
from race.saved.model import Contender, Figures, Work
from race.stats.histogram import percentile
from toolbench import transport
from toolbench.check import Tagged, Texts, Types, complaint
from toolbench.drivers import DRIVERS, FORMAT, LOOP, PREPARED, STATEMENTS, TRANSPORT, Tool
from toolbench.operation import Operation, operations
from toolbench.shared import DATABASE, DRIVER, Shared
from toolbench.talk import Talk

START_SECONDS = 30.0
CHECK_SECONDS = 30.0
GRACE_SECONDS = 30.0
"""Beyond its time a load may open connections, wait for what is under way, and sort."""
PERCENTILES = (50.0, 75.0, 90.0, 95.0, 99.0, 99.9)


class Checked(Struct, frozen=True):
    """What a runner says of an operation; `unsupported`: a kind that its driver has nothing for."""

    rows: list[list[Tagged]] = []
    count: int = 0
    unsupported: str = ""


class Drove(Struct, frozen=True):
    """What a runner says of a load; `late` operations were still under way when it spoke."""

    operations: int
    seconds: float
    histogram: list[tuple[float, int]]
    errors: dict[str, int] = {}
    latency_ns: dict[str, float] = {}
    beside_ns: int = 0
    late: int = 0


Answer = TypeVar("Answer", bound=Struct)


@dataclass
class Driven:
    """`race.discipline.Subject`. Once it failed to answer, or left an operation under way, it is
    not trusted any more: it is started again, and until then it does not run beside others.

    By operation: `rows` of one, and what is `right` for which texts of the database.
    """

    contender: Contender
    shared: Shared
    layout: Layout
    talk: Talk
    failed: bool = False
    rows: dict[str, int] = field(default_factory=dict)
    right: dict[str, tuple[Texts, list[list[Tagged]]]] = field(default_factory=dict)

    @property
    def tool(self) -> Tool:
        """The driver."""
        return DRIVERS[self.contender.name]

    def parties(self) -> Mapping[str, Party]:
        """The load is in the driver's own process."""
        pid = self.shared.databases.pid(self.tool.database)
        return {
            DRIVER: Party(self.talk.child.pid, self.layout[DRIVER]),
            DATABASE: Party(pid, self.layout[DATABASE]),
        }

    def alive(self) -> bool:
        """Whether it runs, and answered until now."""
        return not self.failed and self.talk.child.running()

    def wake(self) -> None:
        """Onto its core, and the database onto its own."""
        self.shared.databases.pin(self.layout[DATABASE])
        cores.pin_tree(tree(self.talk.child.pid), self.layout[DRIVER])

    def rest(self) -> None:
        """Off the measured cores; gone, where it may still be at work."""
        if self.failed:
            self.talk.child.end()
            return
        cores.pin_tree(tree(self.talk.child.pid), cores.resting(self.layout))

    def check(self, task: str) -> None:
        """Every value that it reads is right, or what it wrote is there."""
        operation = operations()[task]
        self.shared.witnesses[self.tool.database].reset(operation)
        question = {"do": "check", "operation": operation.sent()}
        answers = [self._ask(question, CHECK_SECONDS, Checked) for _ in range(operation.checks)]
        answer = answers[-1]
        if answer.unsupported:
            kind = answer.unsupported
            raise CellFailed(f"it has nothing for {kind}, which its line in the registry must say")
        if wrong := self._wrong(operation, answer):
            raise CellFailed(wrong)
        self.rows[task] = operation.rows or answer.count

    def drive(self, work: Work) -> Sample:
        """So many workers in its process, for so long."""
        load = work.load
        question = {
            "do": "drive",
            "operation": work.task,
            "seconds": load.duration_s,
            "concurrency": load.connections,
        }
        answer = self._ask(question, load.duration_s + GRACE_SECONDS, Drove)
        self.failed = answer.late > 0
        return sample(answer)

    def facts(self, task: str) -> Figures:
        """Rows that one operation reads or writes."""
        return {"rows": self.rows[task]}

    def close(self) -> None:
        """SIGTERM, and harder where that is not enough."""
        self.talk.child.end()

    def _ask(self, question: Mapping[str, Any], seconds: float, form: type[Answer]) -> Answer:
        try:
            return msgspec.convert(self.talk.ask(question, seconds), form)
        except CellFailed:
            self.failed = True
            raise
        except msgspec.ValidationError as error:
            raise CellFailed(f"{DRIVER} gave no result: {error}") from None

    def _wrong(self, operation: Operation, answer: Checked) -> str | None:
        """What is wrong with what the driver read or wrote."""
        seen = self.shared.witnesses[self.tool.database]
        who = f"{self.contender.name}, {operation.name}"
        if operation.writes:
            wanted = [[str(value) for value in row] for row in operation.after_rows]
            left = [list(row) for row in seen.after(operation)]
            return None if left == wanted else f"{who}: it left {left} where {wanted} is right"
        texts = seen.expected(operation)
        if operation.columns and operation.rows not in (None, len(texts)):
            return f"{who}: the database has {len(texts):,} rows, not {operation.rows:,}"
        return complaint(who, self._right(operation, texts), answer.rows)

    def _right(self, operation: Operation, texts: Texts) -> list[list[Tagged]]:
        """What the driver must give for the database's texts; most often they are the last ones."""
        before, right = self.right.get(operation.name, ((), []))
        if texts != before:
            types = Types(self.shared.witnesses[self.tool.database].types, self.tool.gives)
            right = types.rows(operation.columns, texts)
            self.right[operation.name] = texts, right
        return right


def sample(answer: Drove) -> Sample:
    """In microseconds. All workers always wait: `busy_connections` is how many were seen to."""
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


def start(contender: Contender, shared: Shared, layout: Layout) -> Driven:
    """A driver's process with one open connection; CellFailed when it does not come to that."""
    tool, factors = DRIVERS[contender.name], contender.factors
    address = shared.address(tool.database, factors[TRANSPORT])
    question = {
        "do": "open",
        "driver": contender.name,
        "address": transport.sent(tool.database, address),
        "options": {
            "prepared": factors.get(STATEMENTS) == PREPARED,
            "loop": factors.get(LOOP, ""),
            "format": factors.get(FORMAT, ""),
        },
    }
    talk = Talk(tool.command(), layout[DRIVER])
    try:
        talk.ask(question, START_SECONDS)
    except BaseException:
        talk.child.end()
        raise
    return Driven(contender, shared, layout, talk)
