"""Writes the reports of a run: Locust's own HTML and CSV with engine and verdict, and JSON."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from io import StringIO
from pathlib import Path
from typing import Any

from locust import __version__
from locust.html import get_html_report
from locust.stats import PERCENTILES_TO_REPORT, StatsCSV

from locustfiles.run.files import write_atomically
from locustfiles.run.locust_html import marked
from locustfiles.run.record import LocustRun
from locustfiles.run.samples import FIGURES, TIME

Mark = Callable[[], tuple[str, str]]
"""Returns the engine and the verdict of the last run."""


class MarkedRows:
    """A CSV writer with two more columns in each row: the engine and the verdict."""

    def __init__(self, writer: Any, mark: tuple[str, str]) -> None:
        self._writer = writer
        self._mark = mark
        self._next = ("Engine", "Verdict")

    def writerow(self, columns: Iterable[str | int | float]) -> None:
        """Write a row; the first one has the names of the columns."""
        self._writer.writerow([*columns, *self._next])
        self._next = self._mark


class MarkedCsv(StatsCSV):
    """Locust's own CSV files, with engine and verdict of the last run in each row."""

    def __init__(self, environment: Any, mark: Mark) -> None:
        super().__init__(environment, PERCENTILES_TO_REPORT)
        self._mark = mark

    def requests_csv(self, csv_writer: Any) -> None:
        super().requests_csv(MarkedRows(csv_writer, self._mark()))

    def failures_csv(self, csv_writer: Any) -> None:
        super().failures_csv(MarkedRows(csv_writer, self._mark()))

    def exceptions_csv(self, csv_writer: Any) -> None:
        super().exceptions_csv(MarkedRows(csv_writer, self._mark()))


def mark_of(run: LocustRun | None) -> tuple[str, str]:
    """Return engine and verdict of a run, or two empty texts before the first run."""
    return (run.engine, str(run.verdict)) if run else ("", "")


def write(run: LocustRun, environment: Any, reports: Path) -> Path:
    """Write or overwrite every report of a run; return their folder."""
    folder = run.folder(reports)
    folder.mkdir(parents=True, exist_ok=True)
    texts = {
        # The HTML comes first, because making it adds the last point to Locust's history.
        "report.html": marked(get_html_report(environment, show_download_link=False), run),
        "report.json": json.dumps(as_json(run, environment), indent=1) + "\n",
        **tables(run, environment),
    }
    for name, text in texts.items():
        write_atomically(folder / name, text)
    return folder


def as_json(run: LocustRun, environment: Any) -> dict[str, Any]:
    """Return the content of report.json, which docs/locust.md describes."""
    stats = environment.stats
    return {
        "locust": __version__,
        "host": run.host,
        "engine": run.engine,
        "shape": run.shape,
        "fields": dict(run.fields),
        "users": run.users,
        "begun": run.begun,
        "ended": run.ended,
        "verdict": {
            "valid": run.verdict.valid,
            "reasons": run.verdict.reasons,
            "limits_passed": run.verdict.passed,
        },
        "finding": run.finding,
        "total": counts(stats.total),
        "pages": [counts(stats.entries[key]) for key in sorted(stats.entries)],
        "failures": [
            {
                "page": one.name,
                "method": one.method,
                "error": one.parse_error(one.error),
                "count": one.occurrences,
            }
            for one in stats.errors.values()
        ],
        "cpu_seconds": run.cpu_seconds,
        "timeline": run.timeline.moments,
        "history": history(stats.history),
        "server": list(run.sampled()),
    }


def counts(entry: Any) -> dict[str, Any]:
    """Return a page's figures, times in milliseconds; `times` counts the requests of each time."""
    return {
        "page": entry.name,
        "method": entry.method or "",
        "requests": entry.num_requests,
        "failures": entry.num_failures,
        "median": entry.median_response_time,
        "p95": entry.get_response_time_percentile(0.95),
        "p99": entry.get_response_time_percentile(0.99),
        "max": entry.max_response_time,
        "requests_per_second": entry.total_rps,
        "times": {str(time): entry.response_times[time] for time in sorted(entry.response_times)},
    }


def history(points: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return Locust's history with plain values; Locust keeps each as a pair of time and value."""
    return [
        {key: value[1] if isinstance(value, list) else value for key, value in point.items()}
        for point in points
    ]


def tables(run: LocustRun, environment: Any) -> dict[str, str]:
    """Return the text of every CSV file by its name."""
    mark = mark_of(run)
    writer = MarkedCsv(environment, lambda: mark)
    texts = {}
    for name, write_to in (
        ("requests.csv", writer.requests_csv),
        ("failures.csv", writer.failures_csv),
        ("exceptions.csv", writer.exceptions_csv),
    ):
        text = StringIO()
        write_to(csv.writer(text))
        texts[name] = text.getvalue()
    points = history(environment.stats.history)
    texts["history.csv"] = table(points, mark, list(points[0]) if points else [])
    texts["server.csv"] = table(run.sampled(), mark, [TIME, *FIGURES])
    return texts


def table(rows: Sequence[Mapping[str, Any]], mark: tuple[str, str], columns: Sequence[str]) -> str:
    """Return rows as CSV."""
    text = StringIO()
    writer = MarkedRows(csv.writer(text), mark)
    writer.writerow(columns)
    for row in rows:
        writer.writerow([row.get(name, "") for name in columns])
    return text.getvalue()
