"""SQLAlchemy as a contender: one load is the whole workload, however long it takes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import psycopg

from race.discipline import Sample
from race.errors import CellFailed
from race.machine.cores import Layout
from race.saved.model import Contender, Figures, Load, Work
from toolbench.shared import Shared
from toolbench.sqlalchemy.timeline import observing, timeline
from toolbench.sqlalchemy.workload import EXAMPLE_ROWS, SCHEMA, left, number
from toolbench.subject import CheckAnswer, DriverSubject, LoadAnswer, sample, started
from toolbench.timeouts import TIMEOUTS
from toolbench.tool import ARTICLE, PROGRAM

SECONDS_EACH, SECONDS_ALL = 0.1, 60.0
"""The time limit of a load: so much for each operation, and so much for all of them."""
ROWS = "SELECT (SELECT count(*) FROM parents), (SELECT count(*) FROM children)"
IN_SCHEMA = f"-c search_path={SCHEMA}"


class WorkloadAnswer(LoadAnswer, frozen=True):
    """The answer to a load: it `begun` at this reading of `log.clock`.

    `timeline` is how many operations succeeded in each `log.BUCKET_NS`, `rows` how many rows they
    loaded or wrote, `writes` how many were writes.
    """

    begun: int = 0
    timeline: tuple[int, ...] = ()
    rows: int = 0
    writes: int = 0


@dataclass
class WorkloadSubject(DriverSubject):
    """A `race.discipline.Subject`.

    `writes` is the number of the last load's, until the check of the rows that they left.
    """

    writes: int | None = None

    def check(self, task: str) -> None:
        """Raise CellFailed unless the last load wrote all rows, and a read finds a written one."""
        who = f"{self.contender.name}, {task}"
        done, self.writes = self.writes, None
        if done is not None and (found := self._rows()) != left(done):
            raise CellFailed(f"{who}: it left {found} rows where {left(done)} are right")
        question = {"do": "check", "operation": self.shared.operations[task].message()}
        given = self._ask(question, TIMEOUTS.check, CheckAnswer).rows
        right = [[["text", text], ["int", str(size)]] for text, size in EXAMPLE_ROWS]
        if given != right:
            raise CellFailed(f"{who}: it read {given} where {right} is right")

    def drive(self, work: Work) -> Sample:
        """Do the whole workload; the load's length says how many operations it has."""
        load = work.load
        wanted = number(load.duration_s)
        with observing(self._url(), self.runner.child.pid, load.duration_s) as observations:
            done = self._load(work.task, load, wanted)
        drawn = self.contender.factors.get(PROGRAM) == ARTICLE
        self.writes = None if done.errors else done.writes if drawn else wanted // 2
        # A strategy has its own number of connections, and not the load's.
        return replace(
            sample(done),
            busy_connections=None,
            timeline=timeline(observations, done.begun, done.seconds, done.timeline),
        )

    def facts(self, task: str) -> Figures:
        """Return nothing: operations differ in their rows."""
        return {}

    def _load(self, task: str, load: Load, wanted: int) -> WorkloadAnswer:
        seconds = SECONDS_ALL + SECONDS_EACH * wanted
        question = {
            "do": "drive",
            "operation": task,
            "operations": wanted,
            "concurrency": load.connections,
            "seconds": seconds,
        }
        return self._ask(question, seconds + TIMEOUTS.load, WorkloadAnswer)

    def _rows(self) -> tuple[Any, ...]:
        """Return how many rows the two tables have."""
        timeout = round(TIMEOUTS.connect)
        try:
            with psycopg.connect(
                self._url(), options=IN_SCHEMA, connect_timeout=timeout
            ) as connection:
                return connection.execute(ROWS).fetchone() or ()
        except psycopg.Error as error:
            line = str(error).partition("\n")[0]
            raise CellFailed(f"PostgreSQL does not answer: {line}") from None

    def _url(self) -> str:
        return self.shared.databases.url(self.tool.database) or ""


def start(contender: Contender, shared: Shared, layout: Layout) -> WorkloadSubject:
    """Start a strategy's runner, which makes the tables; CellFailed if that fails."""
    return WorkloadSubject(contender, shared, layout, started(contender, shared, layout))
