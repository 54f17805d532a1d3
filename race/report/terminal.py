"""The ranking of each contest as tables for a terminal."""

from __future__ import annotations

from rich.table import Table
from rich.text import Text

from race.analysis import Analysis, analyse
from race.findings import Contest
from race.report import chapters, words
from race.report.figures import place
from race.results import Run


def tables(run: Run) -> list[Table]:
    """One table for each contest of the closed loop, the verdict as its caption."""
    analysis: Analysis = analyse(run)
    return [table(contest) for contest in analysis.contests if contest.key.load.rate is None]


def table(contest: Contest) -> Table:
    """The ranking of one contest with ratios, intervals and CPU time."""
    title = f"{place(contest.key.page, contest.key.load.pipeline)}, {contest.key.load.describe()}"
    found = Table(
        title=title, title_justify="left", caption_justify="left",
        caption=chapters.said(contest),
    )  # fmt: skip
    found.add_column("", justify="right")
    found.add_column("engine", no_wrap=True)
    for name in ("requests/s", "ratio [95 %]", "CPU µs/request", "p50", "p99"):
        found.add_column(name, justify="right", no_wrap=True)
    for item in contest.standings:
        if item.rps is None:
            reason = Text(f"{item.state}: {item.reason}", "red")
            found.add_row(words.NONE, item.label, reason)
            continue
        found.add_row(
            words.rank(contest, item), item.label, words.rate(item),
            "not ranked" if item.state == "generator-bound" else words.ratio(contest, item),
            words.number(item.cpu_us.get("server")),
            words.milliseconds(item.latency_us.get("p50")),
            words.milliseconds(item.latency_us.get("p99")),
        )  # fmt: skip
    return found
