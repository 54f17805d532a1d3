"""What the server and the database did meanwhile, as somebody beside them writes it down.

The contract is a file of JSON lines (``--samples``), one for each second or so, with ``time`` in
seconds since the epoch and the figures below; null where one is not known. docs/locust.md says
what each means. Standard library only.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from locustfiles.charts import line_chart

Sample = Mapping[str, float | None]


class Figure(NamedTuple):
    """A figure of each sample: what it is called, and how a value of it is written."""

    name: str
    form: str


FIGURES = {
    "server_cpu": Figure("server CPU (of one core)", "{:.0%}"),
    "database_cpu": Figure("database CPU (of one core)", "{:.0%}"),
    "connections": Figure("connections to the database", "{:.0f}"),
    "waiting": Figure("pages waiting for a connection", "{:.0f}"),
    "requests_per_page": Figure("requests to the database per page", "{:.2f}"),
}
UNKNOWN = "-"
TIME = "time"


class Samples:
    """The samples of a file that grows; none where there is no file."""

    def __init__(self, path: str) -> None:
        self._path = Path(path) if path else None
        self._read = 0
        self._samples: list[Sample] = []

    def since(self, begun: float, ended: float = math.inf) -> list[Sample]:
        """Those between two times."""
        self._catch_up()
        return [one for one in self._samples if begun <= (one.get(TIME) or 0.0) <= ended]

    def _catch_up(self) -> None:
        if self._path is None or not self._path.is_file():
            return
        with self._path.open("rb") as file:
            file.seek(self._read)
            fresh = file.read()
        # What is not a whole line yet is read the next time.
        whole = fresh[: fresh.rfind(b"\n") + 1]
        self._read += len(whole)
        self._samples += [sample for line in whole.splitlines() if (sample := _sample(line))]


def _sample(line: bytes) -> Sample | None:
    """A line; None for one that is no sample, which is left out."""
    try:
        found = json.loads(line)
    except ValueError:
        return None
    return found if isinstance(found, dict) and TIME in found else None


def rows(samples: Sequence[Sample]) -> list[dict[str, str]]:
    """A row for each figure: its name, its last value, its mean and its highest."""
    return [_row(key, figure, samples) for key, figure in FIGURES.items()]


def _row(key: str, figure: Figure, samples: Sequence[Sample]) -> dict[str, str]:
    values = [value for one in samples if (value := one.get(key)) is not None]
    last = samples[-1].get(key) if samples else None
    shown = (last, sum(values) / len(values), max(values)) if values else (None,) * 3
    texts = [UNKNOWN if value is None else figure.form.format(value) for value in shown]
    return {"name": figure.name, **dict(zip(("now", "mean", "highest"), texts, strict=True))}


def charts(samples: Sequence[Sample]) -> str:
    """Each figure over time as SVG; "" without samples."""
    if not samples:
        return ""
    begun = samples[0].get(TIME) or 0.0
    cpu = {"server": "server_cpu", "database": "database_cpu"}
    drawn = [
        line_chart("CPU (cores)", {who: _line(key, samples, begun) for who, key in cpu.items()})
    ]
    drawn += [
        line_chart(figure.name, {figure.name: _line(key, samples, begun)})
        for key, figure in FIGURES.items()
        if key not in cpu.values()
    ]
    return "\n".join(drawn)


def _line(key: str, samples: Sequence[Sample], begun: float) -> list[tuple[float, float | None]]:
    return [((one.get(TIME) or 0.0) - begun, one.get(key)) for one in samples]
