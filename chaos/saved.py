"""What was seen, as a file: a run may be done in pieces, where a machine has no hour at a time."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from chaos import FAULTS
from chaos.lab import Fault
from chaos.seen import Seen, Votes
from chaos.table import Row, Run
from race.errors import RaceError


def save(run: Run, path: Path) -> None:
    """Every complaint, not only those that a table has room for."""
    rows = [
        {"fault": row.fault.title, **asdict(row.seen), "complaints": row.wrong} for row in run.rows
    ]
    about = {name: value for name, value in vars(run).items() if name != "rows"}
    write(path, json.dumps({**about, "rows": rows}, indent=1) + "\n")


def load(path: Path) -> Run:
    """RaceError in one line where the file is none of these."""
    try:
        saved = json.loads(path.read_text(encoding="utf-8"))
        faults = {fault.title: fault for fault in every()}
        rows = [_row(faults, one) for one in saved.pop("rows")]
        return Run(**saved, rows=rows)
    except OSError as error:
        raise RaceError(f"cannot read {path}: {error.strerror}") from None
    except (ValueError, KeyError, TypeError, AttributeError):
        raise RaceError(f"{path} is not what --json of this version writes") from None


def merged(runs: Sequence[Run]) -> Run:
    """Faults in the registry's order; of one that several runs have, the last run's."""
    latest = {row.fault.title: run for run in runs for row in run.rows}
    rows = [
        row
        for fault in every()
        for row in (latest[fault.title].rows if fault.title in latest else ())
        if row.fault.title == fault.title
    ]
    return Run(
        date=_all(run.date for run in runs),
        commit=_all(run.commit for run in runs),
        machine=_all(run.machine for run in runs),
        seed=_all(run.seed for run in runs),
        minutes=sum(run.minutes for run in runs),
        short=any(run.short for run in runs),
        rows=rows,
    )


def every() -> list[Fault]:
    """The faults of the registry."""
    return [plugin.load() for plugin in FAULTS.values()]


def write(path: Path, text: str) -> None:
    """As a whole or not at all."""
    fresh = path.with_name(path.name + ".tmp")
    with fresh.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(path)


def _row(faults: dict[str, Fault], one: dict[str, Any]) -> Row:
    votes = one["votes"]
    seen = Seen(
        one["subject"],
        one["tried"],
        one["text"],
        one["recovery"],
        Votes(**votes) if votes else None,
        one["wrong"],
    )
    return Row(faults[one["fault"]], seen)


def _all(texts: Iterable[str]) -> str:
    return ", ".join(sorted(set(texts)))
