"""The reports of a run: Locust's own HTML and CSV with the verdict in them, and all as JSON."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape
from io import StringIO
from pathlib import Path
from typing import Any

from locust import __version__
from locust.html import get_html_report
from locust.stats import PERCENTILES_TO_REPORT, StatsCSV

from locustfiles.run.put import put
from locustfiles.run.record import Run
from locustfiles.run.samples import FIGURES, TIME, charts

PAGE = "report.html"
DATA = "report.json"
# Of the page that Locust's report builds itself in; all of the report stands in it.
ROOT = '<div id="root"></div>'
VERDICT = "Verdict"


class Marked:
    """A CSV writer with one more column: the verdict, in each row but the first."""

    def __init__(self, writer: Any, verdict: str) -> None:
        self._writer = writer
        self._verdict = verdict
        self._next = VERDICT

    def writerow(self, columns: Iterable[str | int | float]) -> None:
        """See ``csv``."""
        self._writer.writerow([*columns, self._next])
        self._next = self._verdict


class MarkedCsv(StatsCSV):
    """Locust's own CSV files, with the verdict of the last run in each row."""

    def __init__(self, environment: Any, verdict: Callable[[], str]) -> None:
        super().__init__(environment, PERCENTILES_TO_REPORT)
        self._verdict = verdict

    def requests_csv(self, csv_writer: Any) -> None:
        super().requests_csv(Marked(csv_writer, self._verdict()))

    def failures_csv(self, csv_writer: Any) -> None:
        super().failures_csv(Marked(csv_writer, self._verdict()))

    def exceptions_csv(self, csv_writer: Any) -> None:
        super().exceptions_csv(Marked(csv_writer, self._verdict()))


def write(run: Run, environment: Any, reports: Path) -> Path:
    """Write or overwrite every report of a run; their folder."""
    folder = run.folder(reports)
    folder.mkdir(parents=True, exist_ok=True)
    texts = {
        # First, as it adds the last point to the history.
        PAGE: marked(get_html_report(environment, show_download_link=False), run),
        DATA: json.dumps(record(run, environment), indent=1) + "\n",
        **tables(run, environment),
    }
    for name, text in texts.items():
        put(folder / name, text)
    return folder


def marked(page: str, run: Run) -> str:
    """Locust's HTML report with what we know of the run above and below it."""
    head, root, rest = page.partition(ROOT)
    ink = "#155724" if run.verdict.valid else "#b00020"
    style = f"margin:0;padding:12px 24px;color:#fff;background:{ink};font:16px system-ui"
    banner = "".join(f'<p role="status" style="{style}">{escape(one)}</p>' for one in run.lines())
    drawn = charts(run.sampled())
    style = "max-width:1000px;margin:0 auto;padding:24px;font:16px system-ui"
    below = f'<section style="{style}"><h2>Server and database</h2>{drawn}</section>'
    return head + banner + root + (below if drawn else "") + rest


def record(run: Run, environment: Any) -> dict[str, Any]:
    """All of a run as JSON; see docs/locust.md."""
    stats = environment.stats
    return {
        "locust": __version__,
        "host": run.host,
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
    """A page's figures; times are milliseconds, ``times`` {time: requests} as Locust rounds it."""
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
    """Locust's history: each value once, without the time that it stands beside."""
    return [
        {key: value[1] if isinstance(value, list) else value for key, value in point.items()}
        for point in points
    ]


def tables(run: Run, environment: Any) -> dict[str, str]:
    """Every CSV file by its name."""
    verdict = str(run.verdict)
    writer = MarkedCsv(environment, lambda: verdict)
    written = {
        "requests.csv": writer.requests_csv,
        "failures.csv": writer.failures_csv,
        "exceptions.csv": writer.exceptions_csv,
    }
    texts = {}
    for name, write_to in written.items():
        text = StringIO()
        write_to(csv.writer(text))
        texts[name] = text.getvalue()
    texts["history.csv"] = table(history(environment.stats.history), verdict)
    texts["server.csv"] = table(run.sampled(), verdict, [TIME, *FIGURES])
    return texts


def table(rows: Sequence[Mapping[str, Any]], verdict: str, names: Sequence[str] = ()) -> str:
    """Rows as CSV; the names of the columns are those of the first row unless they are given."""
    text = StringIO()
    writer = Marked(csv.writer(text), verdict)
    columns = list(names or (rows[0] if rows else ()))
    writer.writerow(columns)
    for row in rows:
        writer.writerow([row.get(name, "") for name in columns])
    return text.getvalue()
