"""What articles claimed and what was measured: for a terminal, as Markdown, as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

from race.analysis.merge import interval_text
from race.analysis.model import Analysis, plain
from race.analysis.pairing import Run
from race.report import format as words
from race.report import markdown as marked
from race.report.articles.claimed import Article
from race.report.articles.rows import Row, Runs, rows
from race.report.articles.verdicts import (
    DIFFERENT,
    HOLDS,
    REVERSED,
    UNMEASURED,
    UNTESTED,
    VERDICTS,
    WEAKER,
)
from race.report.run_comparison import say
from race.report.took_part import interpreters, programs

TITLE = "What articles claimed, and what was measured"
NAMES = ("claim", "claimed", "measured", "ratio [95 %]", "verdict", "otherwise here")
RUN_NAMES = ("run", "when", "rounds", "commit", "machine", "versions")
_STYLES = {
    HOLDS: "green",
    WEAKER: "yellow",
    DIFFERENT: "red",
    REVERSED: "bold red",
    UNTESTED: "dim",
    UNMEASURED: "dim",
}


@dataclass(frozen=True, slots=True)
class Page:
    """Articles with their rows, and the runs that were asked, by scenario."""

    articles: list[tuple[Article, list[Row]]]
    runs: Runs

    @classmethod
    def of(cls, articles: Sequence[Article], runs: Runs) -> Page:
        """Articles in their places."""
        ordered = sorted(articles, key=lambda one: (one.place, one.title))
        return cls([(one, rows(one, runs)) for one in ordered], runs)

    @property
    def summary(self) -> str:
        """How many rows have which verdict; the verdict on a claim of all its rows is none of one
        row.
        """
        each = (row for _, found in self.articles for row in found)
        found = Counter(row.verdict for row in each if not row.whole)
        told = ", ".join(f"{found[one]} “{one}”" for one in VERDICTS if found[one])
        return f"{words.plural(found.total(), 'row')}: {told}"

    def as_json(self) -> dict[str, Any]:
        """Plain JSON with ratios instead of logs."""
        articles = [
            {"title": article.title, "source": article.source, "rows": list(map(_plain, each))}
            for article, each in self.articles
        ]
        names = {name: [run.name for run in each] for name, each in self.runs.items()}
        return {"summary": self.summary, "articles": articles, "runs": names}


def _plain(row: Row) -> dict[str, Any]:
    return {**asdict(row), "ratio": plain(row.ratio)}


def markdown(page: Page) -> str:
    """Summary, what verdicts mean, a table for each article, the runs. The same runs and claims
    give the same text.
    """
    meanings = [f"- **{name}**: {text}." for name, text in VERDICTS.items()]
    parts = [f"# {TITLE}", _made(page), page.summary + ".", "\n".join(meanings), _intervals(page)]
    for article, each in page.articles:
        parts += [f"## {marked.escape(article.title)}", _source(article), _table(each)]
    if page.runs:
        parts += ["## The runs", _runs(page)]
    return "\n\n".join(filter(None, parts)) + "\n"


def _made(page: Page) -> str:
    """Where the text comes from, and of when its figures are."""
    found = sorted(run.analysis.race.head.started_at for run in _all(page))
    days = dict.fromkeys(words.moment(text).partition(",")[0] for text in (*found[:1], *found[-1:]))
    measured = f" Measured {_when(list(days))}." if days else ""
    return (
        "Made by `race articles -o docs/claims.md` from saved runs and from the claims in "
        f"[docs/claims/](claims), which are in our words.{measured} Ratios are of "
        "requests/s on the site and of operations/s of drivers, the first over the second, with "
        "95 % intervals (≥: the rate of the first is a lower bound, and so is the ratio); "
        "[how races are measured](method.md) says when a winner is declared."
    )


def _when(days: Sequence[str]) -> str:
    return f"on {days[0]}" if len(days) == 1 else f"from {days[0]} to {days[-1]}"


def _intervals(page: Page) -> str:
    """What the interval is where a race ran more than once."""
    several = [
        f"{name} ({len(runs)} runs): {interval_text(len(runs))}"
        for name, runs in page.runs.items()
        if len(runs) > 1
    ]
    return f"Where a race ran more than once: {'; '.join(several)}." if several else ""


def _source(article: Article) -> str:
    return marked.escape(f"{article.source}. There: {article.conditions}")


def _table(found: Sequence[Row]) -> str:
    """Of a claim with several rows only the first repeats its text."""
    lines: list[list[str]] = []
    before = ""
    for row in found:
        claim = "" if row.claim == before else row.claim
        lines.append([claim, row.said, row.measured, row.ratio_text, _verdict(row), row.differs])
        before = row.claim
    return marked.table(NAMES, lines, left=range(len(NAMES)))


def _verdict(row: Row) -> str:
    """The verdict of a row, and why."""
    return f"{row.verdict}: {row.why}" if row.why else row.verdict


def _runs(page: Page) -> str:
    return marked.table(RUN_NAMES, [_run(run) for run in _all(page)], left=range(len(RUN_NAMES)))


def _run(run: Run) -> list[str]:
    head = run.analysis.race.head
    machine = head.environment
    cores = f"{machine.cores} cores" if machine.cores else ""
    return [
        run.name,
        words.moment(head.started_at),
        str(run.analysis.rounds),
        words.commit(machine),
        ", ".join(filter(None, (machine.cpu, cores, machine.kernel))),
        _versions(run.analysis),
    ]


def _versions(analysis: Analysis) -> str:
    """Of programs, then of each interpreter with its packages."""
    found = [", ".join(f"{name} {version}" for name, version in programs(analysis))]
    for one in interpreters(analysis):
        packages = ", ".join(f"{name} {version}" for name, version in one.packages)
        found.append(f"CPython {one.python}: {packages}" if packages else f"CPython {one.python}")
    return "; ".join(dict.fromkeys(filter(None, found)))


def _all(page: Page) -> Iterator[Run]:
    for runs in page.runs.values():
        yield from runs


def show(page: Page) -> None:
    """Print it to the terminal."""
    console = Console()
    say(console, page.summary, style="bold")
    for article, each in page.articles:
        table = Table(title=article.title, title_justify="left", box=box.SIMPLE_HEAD)
        for name in ("claim", "measured", "verdict"):
            table.add_column(name, overflow="fold")
        table.add_column("ratio", justify="right", no_wrap=True)
        for row in each:
            style = _STYLES.get(row.verdict.partition(",")[0], "")
            claim = f"{row.claim} ({row.said})"
            table.add_row(claim, row.measured, _verdict(row), row.ratio_text, style=style)
        console.print(table)
