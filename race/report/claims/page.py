"""The claims of articles and what was measured: for a terminal, as Markdown, as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

from race.analysis.merge import interval_text
from race.analysis.model import plain
from race.analysis.pairing import Run
from race.report import format as words
from race.report import markdown as marked
from race.report.claims.article import Article
from race.report.claims.rows import ClaimRow, Runs, notes, ordered, rows
from race.report.claims.verdicts import HOLDS, REFUTED, UNMEASURED, VERDICTS, WEAKER
from race.report.console import say
from race.report.table import texts

TITLE = "What articles claimed, and what was measured"
NAMES = ("claim", "claimed", "runs", "task", "first", "second", "ratio [95 %]", "verdict", "note")
AS_ABOVE = 6
"""The first so many columns leave a cell empty that is as in the row above."""
RUN_NAMES = ("run", "when", "rounds", "commit", "machine")
STYLES = {HOLDS: "green", WEAKER: "yellow", REFUTED: "red", UNMEASURED: "dim"}
INTRODUCTION = (
    "Made by `race articles -o docs/claims.md` from saved runs and from the claims in "
    "[docs/claims/](claims), which are in our words. The ratio is the first contender's rate over"
    " the second's, with its 95 % interval; ≥ marks a lower bound. `race claim RUNS TASK FIRST "
    "SECOND` prints it with each run's own; for ≥ the words begin with `least-ratio`, for one "
    "task over another they are `tasks-ratio RUNS TASK OTHER FIRST`, for users (`reports:Steps`) "
    "`user-load RUNS TASK FIRST SECOND count`. Runs joined by `+` are one result; tasks joined by"
    " `+` are compared by their geometric mean; `:x24` is 24 requests pipelined, `:c10` is 10 at "
    "once. A cell left empty is as above. [How races are measured](method.md) says when a winner "
    "is declared."
)


@dataclass(frozen=True, slots=True)
class ClaimsPage:
    """Articles with their rows, and the runs that were asked, by scenario."""

    articles: list[tuple[Article, list[ClaimRow]]]
    runs: Runs

    @classmethod
    def of(cls, articles: Sequence[Article], runs: Runs) -> ClaimsPage:
        """Hold the claims of articles against runs."""
        return cls([(one, rows(one, runs)) for one in articles], runs)

    @property
    def summary(self) -> str:
        """The number of rows with each verdict; a row that sums up others does not count."""
        found = Counter(row.verdict for _, each in self.articles for row in each if not row.whole)
        verdicts = ", ".join(f"{number} “{one}”" for one, number in ordered(found))
        return f"{words.plural(found.total(), 'row')}: {verdicts}"

    def as_json(self) -> dict[str, Any]:
        """Return plain JSON with ratios instead of logs."""
        articles = [
            {
                "title": article.title,
                "source": article.source,
                "differs": article.differs,
                "rows": [{**asdict(row), "ratio": plain(row.ratio)} for row in each],
            }
            for article, each in self.articles
        ]
        names = {name: [run.name for run in each] for name, each in self.runs.items()}
        return {"summary": self.summary, "articles": articles, "runs": names}


def markdown(page: ClaimsPage) -> str:
    """Return the page as Markdown: the same runs and claims give the same text."""
    meanings = [f"- **{name}**: {text}." for name, text in VERDICTS.items()]
    parts = [f"# {TITLE}", INTRODUCTION, page.summary + ".", "\n".join(meanings), _merged(page)]
    for article, each in page.articles:
        parts += [f"## {marked.escape(article.title)}", *_conditions(article, each), _table(each)]
    if page.runs:
        lines = [_run(run) for runs in page.runs.values() for run in runs]
        for above, below in reversed([*pairwise(lines)]):
            below[-1] = "" if below[-1] == above[-1] else below[-1]
        parts += ["## The runs", marked.table(texts(RUN_NAMES, lines, range(len(RUN_NAMES))))]
    return "\n\n".join(filter(None, parts)) + "\n"


def _merged(page: ClaimsPage) -> str:
    """Return what the interval is where a race ran more than once."""
    several = [
        f"{name} ({len(runs)} runs): {interval_text(len(runs))}"
        for name, runs in page.runs.items()
        if len(runs) > 1
    ]
    return f"Where a race ran more than once: {'; '.join(several)}." if several else ""


def _conditions(article: Article, found: Sequence[ClaimRow]) -> list[str]:
    """Return how it was measured there, and what is otherwise here, in all rows and in some."""
    here = f"Here, in all rows: {article.differs}." if article.differs else ""
    listed = [f"{number}. {text}" for text, number in notes(found).items()]
    some = "\n".join(marked.escape(line) for line in listed)
    there = f"{article.source}. There: {article.conditions} {here}"
    return [marked.escape(there.strip()), f"In the rows with a note:\n\n{some}" if some else ""]


def _table(found: Sequence[ClaimRow]) -> str:
    number = notes(found)
    lines: list[list[str]] = []
    before = [""] * AS_ABOVE
    for row in found:
        second = "itself" if row.against else row.second
        task = f"{row.task} over {row.against}" if row.against else row.task
        what = [row.claim, row.said, row.runs, task, row.first, second]
        again = row.claim == before[0]
        shown = [
            "" if again and text == above else text
            for text, above in zip(what, before, strict=True)
        ]
        note = str(number.get(row.differs, ""))
        lines.append([*shown, row.ratio_text, row.verdict_text, note])
        before = what
    return marked.table(texts(NAMES, lines, range(len(NAMES))))


def _run(run: Run) -> list[str]:
    head = run.analysis.race.head
    machine = head.environment
    cores = f"{machine.cores} cores" if machine.cores else ""
    return [
        run.name,
        words.moment(head.started_at),
        str(run.analysis.rounds),
        words.commit(machine),
        ", ".join(filter(None, (machine.cpu, cores))),
    ]


def show(page: ClaimsPage) -> None:
    """Print the page to the terminal."""
    console = Console()
    say(console, page.summary, style="bold")
    for article, each in page.articles:
        table = Table(title=article.title, title_justify="left", box=box.SIMPLE_HEAD)
        for name in ("claim", "measured", "verdict"):
            table.add_column(name, overflow="fold")
        table.add_column("ratio", justify="right", no_wrap=True)
        for row in each:
            cells = f"{row.claim} ({row.said})", row.measured, row.verdict_text, row.ratio_text
            table.add_row(*cells, style=STYLES.get(row.verdict, ""))
        console.print(table)
