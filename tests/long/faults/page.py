"""The table of docs/reliability.md: one row for each fault and for each server it was made to."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import NamedTuple

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
PAGE = """# What it survives

<!-- written by `make chaos` -->
`make chaos` made these faults on purpose, on {date}, with commit {commit}, on {machine}, seed
{seed}, within {minutes:.0f} minutes. {summary}{extent}

{table}
The time to recover counts from the fault to the answer of the first page or vote that was
requested after it. A vote is undecided when its client never learned whether it counted, because
the answer was cut off or was a 503. Undecided votes are not among the acknowledged ones, and the
database may have counted any of them. Clients, servers and databases shared one machine, so the
times are upper bounds.

## What each fault must not break

{promises}

## Other attacks

This run did not make these. `make check` and `make test` make them at each change.

{attacks}"""
ATTACK_COLUMNS = ("attack", "what its test demands", "test")
ATTACKS = (
    (
        "an `Expect` that is not UTF-8",
        "417 or the page, and nothing in the log",
        "tests/live/engines/test_malformed.py",
    ),
    (
        "a length that is no number of HTTP, a bare CR, a blank before a colon",
        "400, or named in `gaps` of `server.py --list --json`",
        "tests/live/engines/test_malformed.py",
    ),
    (
        "a client that closes its side, or leaves, before the answer",
        "no worker ends",
        "tests/live/engines/clients/test_gone.py",
    ),
    (
        "thousands of requests whose answers nobody reads",
        "memory stays bounded, and who reads late gets every answer",
        "tests/live/engines/clients/test_floods.py",
    ),
    (
        "a `SITE_TOKEN` that is short, not ASCII or has blanks",
        "refused at start",
        "tests/unit/site/test_server_arguments.py",
    ),
    (
        "a web page of somebody else drives Locust's page",
        "403, and no CORS header",
        "tests/live/locust/test_access.py",
    ),
    (
        "markup, links and terminal escapes in a saved race",
        "they stay text in HTML, Markdown and on a terminal",
        "tests/unit/race/report/test_hostile.py",
    ),
    (
        "paths and links in a saved race that lead elsewhere",
        "nothing is read or written there",
        "tests/unit/race/saved/test_elsewhere.py",
    ),
    ("a scenario of 1,000,000,000 rounds", "refused", "tests/unit/race/plan/test_read.py"),
    (
        "another user takes the folder of a database's socket",
        "the socket lies in a folder that only its owner can write to",
        "tests/unit/databases/test_home.py",
    ),
    (
        "root starts the private databases",
        "all three run as one user without rights",
        "tests/live/databases/test_private.py",
    ),
)
"""Attacks, what the test demands, and the test."""
SHORT_RUN = (
    "\n\nThis was a short run: fewer inputs, clients, kills and disk sizes than in a full "
    "run,\nsmaller floods, and seconds of load in place of minutes."
)


class Votes(NamedTuple):
    """Votes as their clients know them, and as the database counted them."""

    acknowledged: int
    undecided: int
    counted: int

    def check(self) -> None:
        """Fail when the database lost an acknowledged vote or has one that nobody cast."""
        least, most = self.acknowledged, self.acknowledged + self.undecided
        assert least <= self.counted <= most, (
            f"{least:,} to {most:,} votes were acknowledged, {self.counted:,} were counted"
        )


@dataclass
class Record:
    """A record of what a test of a fault did and saw, which the test fills in as it goes.

    ``tried`` says how much was done, ``text`` what was seen, ``recovery`` the seconds until the
    subject served again, once for each time that the fault was made.
    """

    subject: str
    tried: str = ""
    text: str = ""
    recovery: list[float] = field(default_factory=list)
    votes: Votes | None = None


class Row(NamedTuple):
    """A record together with its fault, the outcome of its test and the reason of that outcome."""

    fault: str
    promise: str
    record: Record
    outcome: str
    reason: str

    def cells(self) -> Iterator[str]:
        """Return the texts of the columns."""
        record = self.record
        yield self.fault
        yield f"`{record.subject}`"
        yield record.tried or NONE
        yield self.reason if self.outcome == "skipped" else record.text or NONE
        yield times(record.recovery)
        yield votes(record.votes)
        yield {"passed": "yes", "skipped": "not tried"}.get(self.outcome, f"no: {self.reason}")


class Run(NamedTuple):
    """The time, machine and settings of a run of the faults."""

    date: str
    commit: str
    machine: str
    seed: int
    minutes: float
    full: bool


def times(recovery: Sequence[float]) -> str:
    """Return the median and the longest time, such as "0.90 s, 1.60 s"."""
    if not recovery:
        return NONE
    return f"{statistics.median(recovery):.2f} s, {max(recovery):.2f} s"


def votes(found: Votes | None) -> str:
    """Return the votes, such as "1,204 / 1,206 (3 undecided)"."""
    if found is None:
        return NONE
    undecided = f" ({found.undecided} undecided)" if found.undecided else ""
    return f"{found.acknowledged:,} / {found.counted:,}{undecided}"


def table(rows: Sequence[Row]) -> str:
    """Return the rows as a table in Markdown."""
    return lines(COLUMNS, *(row.cells() for row in rows))


def lines(heading: Sequence[str], *rows: Iterable[str]) -> str:
    """Return a table in Markdown."""
    every = [heading, ["---"] * len(heading), *rows]
    return "".join("| " + " | ".join(map(plain, line)) + " |\n" for line in every)


def linked(attack: str, demand: str, test: str) -> tuple[str, str, str]:
    """Return the cells of an attack, with a link to its test."""
    return attack, demand, f"[{PurePath(test).name}](../{test})"


def plain(text: str) -> str:
    """Return the text without the characters that would end a cell of the table."""
    return text.replace("|", "\\|").replace("\n", " ")


def summary(rows: Sequence[Row]) -> str:
    """Return how many rows survived, in a sentence."""
    outcomes = [row.outcome for row in rows]
    absent = outcomes.count("skipped")
    text = f"{outcomes.count('passed')} of {len(rows) - absent} survived"
    return text + (f"; {absent} could not be tried here." if absent else ".")


def page(run: Run, rows: Sequence[Row]) -> str:
    """Return the whole page."""
    promises = {row.fault: row.promise for row in rows}
    return PAGE.format(
        **run._asdict(),
        extent="" if run.full else SHORT_RUN,
        summary=summary(rows),
        table=table(rows),
        promises="\n".join(f"- **{fault}**: {promise}" for fault, promise in promises.items()),
        attacks=lines(
            ("attack", "what its test demands", "test"), *(linked(*one) for one in ATTACKS)
        ),
    )
