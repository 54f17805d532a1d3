"""The ranking of each contest as tables for a terminal."""

from __future__ import annotations

from rich import box
from rich.console import Group
from rich.table import Table
from rich.text import Text

from race.analysis.analyse import Analysis, analyse
from race.analysis.model import Contest
from race.report import format as words
from race.report import sentences as chapters
from race.report.charts.figures import place
from race.saved.reader import Run


def rankings(run: Run) -> list[Group]:
    """A table for each contest of the closed loop, with the verdict below."""
    analysis: Analysis = analyse(run)
    return [ranking(contest) for contest in analysis.contests if contest.key.load.rate is None]


def ranking(contest: Contest) -> Group:
    """The ranking of one contest, within 80 columns; why someone has no rank stands below."""
    title = f"{place(contest.key.page, contest.key.load.pipeline)}, {contest.key.load.describe()}"
    found = Table(title=title, title_justify="left",
                  padding=(0, 0, 0, 1), box=box.SIMPLE_HEAD)  # fmt: skip
    found.add_column("", justify="right", min_width=2)
    found.add_column("engine", no_wrap=True)
    for name in ("requests/s", "ratio [95 %]", "CPU µs", "p99"):
        found.add_column(name, justify="right", no_wrap=True)
    reasons = [chapters.said(contest)]
    for item in contest.standings:
        if item.reason:
            reasons.append(f"{item.label} is not ranked, {item.state}: {item.reason}")
        if item.rps is None:
            found.add_row(words.NONE, item.label, Text(item.state, "red"))
            continue
        found.add_row(
            words.rank(contest, item), item.label, words.rate(item),
            words.NONE if item.state == "generator-bound" else words.ratio(contest, item),
            words.number(item.cpu_us.get("server")),
            words.milliseconds(item.latency_us.get("p99")),
        )  # fmt: skip
    return Group(found, Text("\n".join(reasons) + "\n"))
