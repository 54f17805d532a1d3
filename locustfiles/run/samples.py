"""Samples of what server and database did during a run, taken by another program.

The contract is a file of JSON lines (`--samples`), one for each second or so, with `time` in
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


class SampleFigure(NamedTuple):
    """A figure of each sample: its name, and the format of its values."""

    name: str
    form: str


FIGURES = {
    "server_cpu": SampleFigure("server CPU (of one core)", "{:.0%}"),
    "database_cpu": SampleFigure("database CPU (of one core)", "{:.0%}"),
    "connections": SampleFigure("connections to the database", "{:.0f}"),
    "waiting": SampleFigure("pages waiting for a connection", "{:.0f}"),
    "requests_per_page": SampleFigure("requests to the database per page", "{:.2f}"),
}
UNKNOWN = "-"
TIME = "time"


class Samples:
    """The samples of a growing file; none without a file."""

    def __init__(self, path: str) -> None:
        self._path = Path(path) if path else None
        self._read = 0
        self._samples: list[Sample] = []

    def since(self, begun: float, ended: float = math.inf) -> list[Sample]:
        """Return the samples between two times."""
        self._read_on()
        return [one for one in self._samples if begun <= (one.get(TIME) or 0.0) <= ended]

    def _read_on(self) -> None:
        if self._path is None or not self._path.is_file():
            return
        with self._path.open("rb") as file:
            file.seek(self._read)
            fresh = file.read()
        # An incomplete last line is read the next time.
        whole = fresh[: fresh.rfind(b"\n") + 1]
        self._read += len(whole)
        self._samples += [sample for line in whole.splitlines() if (sample := _sample(line))]


def _sample(line: bytes) -> Sample | None:
    """Return the sample of a line, or None if it holds none."""
    try:
        found = json.loads(line)
    except ValueError:
        return None
    return found if isinstance(found, dict) and TIME in found else None


def rows(samples: Sequence[Sample]) -> list[dict[str, str]]:
    """Return a row for each figure: its name, last value, mean and highest."""
    return [_row(key, figure, samples) for key, figure in FIGURES.items()]


def _row(key: str, figure: SampleFigure, samples: Sequence[Sample]) -> dict[str, str]:
    values = [value for one in samples if (value := one.get(key)) is not None]
    last = samples[-1].get(key) if samples else None
    shown = (last, sum(values) / len(values), max(values)) if values else (None,) * 3
    texts = [UNKNOWN if value is None else figure.form.format(value) for value in shown]
    return {"name": figure.name, **dict(zip(("now", "mean", "highest"), texts, strict=True))}


def charts(samples: Sequence[Sample]) -> str:
    """Return SVG of each figure over time; "" without samples."""
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
