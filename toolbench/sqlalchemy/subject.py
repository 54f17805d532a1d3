"""SQLAlchemy as a contender: the whole workload is one load, however long it takes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import psycopg

from race.discipline import Sample
from race.errors import CellFailed
from race.machine.cores import Layout
from race.saved.model import Contender, Figures, Load, Work
from toolbench import subject
from toolbench.operation import operations
from toolbench.shared import Shared
from toolbench.sqlalchemy.timeline import looking, timeline
from toolbench.sqlalchemy.workload import EXAMPLE_ROWS, SCHEMA, left, number
from toolbench.subject import CHECK_SECONDS, Checked, Driven, Drove, sample

SECONDS_EACH, SECONDS_ALL = 0.1, 60.0
"""An operation takes no longer, on the mean, and what they all need beside: bounds, no measures."""
LEFT = "SELECT (SELECT count(*) FROM parents), (SELECT count(*) FROM children)"
HERE = f"-c search_path={SCHEMA}"


class Done(Drove, frozen=True):
    """What the runner says of the workload: the clock when it `begun`, what went well in each
    bucket of time (``log.BUCKET_NS``), rows that were loaded or written.
    """

    begun: int = 0
    timeline: tuple[int, ...] = ()
    rows: int = 0


@dataclass
class Workload(Driven):
    """`race.discipline.Subject`. `operations` are those of the last load, until what it left behind
    was looked at.
    """

    operations: int | None = None

    def check(self, task: str) -> None:
        """What was written is there, and a read finds what a write wrote."""
        who = f"{self.contender.name}, {task}"
        done, self.operations = self.operations, None
        if done is not None and (found := self._left()) != left(done):
            raise CellFailed(f"{who}: it left {found} rows where {left(done)} are right")
        question = {"do": "check", "operation": operations()[task].sent()}
        given = self._ask(question, CHECK_SECONDS, Checked).rows
        right = [[["text", text], ["int", str(size)]] for text, size in EXAMPLE_ROWS]
        if given != right:
            raise CellFailed(f"{who}: it read {given} where {right} is right")

    def drive(self, work: Work) -> Sample:
        """The workload once; its length says how many operations it has."""
        load = work.load
        wanted = number(load.duration_s)
        with looking(self._url(), self.talk.child.pid, load.duration_s) as looks:
            done = self._done(work.task, load, wanted)
        self.operations = None if done.errors else wanted
        # They are not as many as the load has connections: each way has its own number of them.
        return replace(
            sample(done),
            busy_connections=None,
            timeline=timeline(looks, done.begun, done.seconds, done.timeline),
        )

    def facts(self, task: str) -> Figures:
        """An operation has no certain number of rows."""
        return {}

    def _done(self, task: str, load: Load, wanted: int) -> Done:
        seconds = SECONDS_ALL + SECONDS_EACH * wanted
        question = {
            "do": "drive",
            "operation": task,
            "operations": wanted,
            "concurrency": load.connections,
            "seconds": seconds,
        }
        return self._ask(question, seconds + subject.GRACE_SECONDS, Done)

    def _left(self) -> tuple[Any, ...]:
        """Rows of the two tables."""
        try:
            with psycopg.connect(self._url(), options=HERE, connect_timeout=5) as connection:
                return connection.execute(LEFT).fetchone() or ()
        except psycopg.Error as error:
            line = str(error).partition("\n")[0]
            raise CellFailed(f"PostgreSQL does not answer: {line}") from None

    def _url(self) -> str:
        return self.shared.databases.url(self.tool.database) or ""


def start(contender: Contender, shared: Shared, layout: Layout) -> Workload:
    """A way's process with its tables made; CellFailed when it does not come to that."""
    made = subject.start(contender, shared, layout)
    return Workload(contender, shared, layout, made.talk)
