"""What was seen, as the table of docs/reliability.md."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from chaos.lab import Fault
from chaos.seen import Seen

COLUMNS = (
    "fault",
    "to what",
    "how much",
    "what was seen",
    "recovered after: median, longest",
    "votes acknowledged / counted",
    "survived",
)
NONE = "–"
HEAD = """# What it survives

<!-- made by `make chaos`: python -m chaos --output docs/reliability.md -->
Faults that `make chaos` did on purpose, on {date}, to commit {commit}, on {machine}: seed {seed},
{minutes:.0f} minutes{short}. {verdict}
"""
SHORT = " (a short run: fewer of each)"
PROMISES = "## What is held against each fault"
NOTES = """
Recovered: from the fault to the first page or vote that was asked for after it. Votes of which a
client was not told whether they counted (its answer was cut off, or a 503) are no part of
*acknowledged*; where there are any, the database may have counted as many more. One machine ran
clients, servers and databases at the same time: times are upper bounds.
"""


@dataclass(frozen=True)
class Row:
    """A fault, and one of those that it was done to."""

    fault: Fault
    seen: Seen

    @property
    def tried(self) -> bool:
        """Whether it could be done here."""
        return bool(self.seen.tried)

    @property
    def wrong(self) -> list[str]:
        """Everything that broke the promise."""
        return self.seen.complaints

    def cells(self) -> list[str]:
        """As they stand in the table."""
        seen = self.seen
        survived = (
            ("no: " + "; ".join(self.wrong[:3]) if self.wrong else "yes") if self.tried else ""
        )
        more = len(self.wrong) - 3
        if more > 0:
            survived += f"; and {more} more"
        return [
            self.fault.title,
            f"`{seen.subject}`",
            seen.tried or NONE,
            seen.text or NONE,
            times(seen.recovery),
            votes(seen),
            survived or "not tried",
        ]


@dataclass(frozen=True)
class Run:
    """One run, or several as one: when, on what, how long, and what was seen."""

    date: str
    commit: str
    machine: str
    seed: str
    minutes: float
    short: bool
    rows: Sequence[Row]


def times(recovery: Sequence[float]) -> str:
    """ "0.9 s, 1.6 s"."""
    if not recovery:
        return NONE
    return f"{statistics.median(recovery):.2f} s, {max(recovery):.2f} s"


def votes(seen: Seen) -> str:
    """ "1,204 / 1,206 (3 undecided)"."""
    if seen.votes is None:
        return NONE
    undecided = f" ({seen.votes.undecided} undecided)" if seen.votes.undecided else ""
    return f"{seen.votes.acknowledged:,} / {seen.votes.counted:,}{undecided}"


def table(rows: Sequence[Row]) -> str:
    """The rows in the order of the registry."""
    lines = [COLUMNS, ["---"] * len(COLUMNS), *(row.cells() for row in rows)]
    return "\n".join("| " + " | ".join(map(plain, line)) + " |" for line in lines) + "\n"


def plain(text: str) -> str:
    """Without what a table would take for its own."""
    return text.replace("|", "\\|").replace("\n", " ")


def verdict(rows: Sequence[Row]) -> str:
    """In a sentence."""
    done = [row for row in rows if row.tried]
    failed = [row for row in done if row.wrong]
    text = f"{len(done) - len(failed)} of {len(done)} survived"
    absent = len(rows) - len(done)
    return text + (f"; {absent} could not be tried here." if absent else ".")


def page(run: Run) -> str:
    """The whole page."""
    promises = {row.fault.title: row.fault.promise for row in run.rows}
    listed = "\n".join(f"- **{title}**: {promise}" for title, promise in promises.items())
    about = {**vars(run), "minutes": max(1.0, run.minutes), "short": SHORT if run.short else ""}
    head = HEAD.format(verdict=verdict(run.rows), **about)
    return f"{head}\n{table(run.rows)}{NOTES}\n{PROMISES}\n\n{listed}\n"
