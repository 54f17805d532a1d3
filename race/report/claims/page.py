"""The claims of articles and what was measured: for a terminal, as Markdown, as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from race.analysis.merge import interval_text
from race.analysis.model import plain
from race.analysis.pairing import Run
from race.console import Console
from race.report import format as words
from race.report import markdown as marked
from race.report.claims.article import Article
from race.report.claims.rows import Runs, ordered, rows
from race.report.claims.tables import ArticleRows
from race.report.claims.verdicts import KINDS, VERDICTS
from race.report.console import drawn, say
from race.report.table import PLAIN, TEXT, Column, as_above, fill

TITLE = "What articles claimed, and what was measured"
INTRODUCTION = (
    "Made by `race articles -o docs/claims.md` from saved runs and from the claims in "
    "[docs/claims/](claims), which are in our words; [docs/articles.md](articles.md) has the "
    "command behind each. A ratio is the first contender's rate over"
    " the second's, with its 95 % interval; ≥ marks a lower bound. `race claim RUNS TASK FIRST "
    "SECOND` prints it with each run's own; for ≥ the words begin with `least-ratio`, for one "
    "task over another they are `tasks-ratio RUNS TASK OTHER FIRST`, for users (`reports:Steps`) "
    "`user-load RUNS TASK FIRST SECOND requests`. A figure of one contender is found by `rate`, "
    "`rows`, `times`, `latency`, `seen` or `watched`: `race articles` prints the words of each "
    "row. Runs joined by `+` are one result; tasks joined by"
    " `+` are compared by their geometric mean; `:x24` is 24 requests pipelined, `:c10` is 10 at "
    "once. A cell left empty is as above. [How races are measured](method.md) says when a winner "
    "is declared."
)


@dataclass(frozen=True, slots=True)
class ClaimsPage:
    """Articles with their rows, and the runs that were asked, by scenario."""

    articles: list[ArticleRows]
    runs: Runs

    @classmethod
    def of(cls, articles: Sequence[Article], runs: Runs) -> ClaimsPage:
        """Hold the claims of articles against runs."""
        return cls([ArticleRows(one, rows(one, runs)) for one in articles], runs)

    @property
    def summary(self) -> str:
        """The number of rows with each verdict; a row that sums up others does not count."""
        found = Counter(row.verdict for one in self.articles for row in one.rows if not row.whole)
        verdicts = ", ".join(f"{number} “{one}”" for one, number in ordered(found))
        return f"{words.plural(found.total(), 'row')}: {verdicts}"

    def as_json(self) -> dict[str, Any]:
        """Return plain JSON with ratios instead of logs."""
        articles = [
            {
                "title": one.article.title,
                "source": one.article.source,
                "differs": one.article.differs,
                "rows": [{**asdict(row), "ratio": plain(row.ratio)} for row in one.rows],
            }
            for one in self.articles
        ]
        names = {name: [run.name for run in each] for name, each in self.runs.items()}
        return {"summary": self.summary, "articles": articles, "runs": names}


def markdown(page: ClaimsPage) -> str:
    """Return the page as Markdown: the same runs and claims give the same text."""
    meanings = [f"- **{name}**: {text}." for name, text in VERDICTS.items()]
    rules = ["The rule for each kind of claim:\n"]
    rules += [f"- {kind}: {text}." for kind, text in KINDS.items()]
    lists = ["\n".join(meanings), "\n".join(rules)]
    parts = [f"# {TITLE}", INTRODUCTION, page.summary + ".", *lists, _merged(page)]
    for one in page.articles:
        parts += [f"## {marked.escape(one.article.title)}", marked.escape(one.conditions)]
        parts += [_notes(one), marked.table(one.table())]
    if page.runs:
        runs = fill("The runs", RUNS, [run for each in page.runs.values() for run in each])
        machine = len(RUNS) - 1
        parts += [f"## {runs.title}", marked.table(as_above(runs, range(machine, len(RUNS))))]
    return "\n\n".join(filter(None, parts)) + "\n"


def _merged(page: ClaimsPage) -> str:
    """Return what the interval is where a race ran more than once."""
    several = [
        f"{marked.escape(name)} ({len(runs)} runs): {interval_text(len(runs))}"
        for name, runs in page.runs.items()
        if len(runs) > 1
    ]
    return f"Where a race ran more than once: {'; '.join(several)}." if several else ""


def _notes(one: ArticleRows) -> str:
    """Return what differs in some rows, as a list."""
    listed = [f"{number}. {marked.escape(text)}" for text, number in one.notes.items()]
    return "In the rows with a note:\n\n" + "\n".join(listed) if listed else ""


def _machine(run: Run) -> str:
    machine = run.analysis.race.head.tested_machine
    cores = f"{machine.cores} cores" if machine.cores else ""
    return ", ".join(filter(None, (machine.cpu, cores)))


RUNS = (
    Column("run", lambda run: run.name, TEXT),
    Column("when", lambda run: words.moment(run.analysis.race.head.started_at), TEXT),
    Column("rounds", lambda run: run.analysis.rounds, PLAIN),
    Column("commit", lambda run: words.commit(run.analysis.race.head.environment), TEXT),
    Column("machine", _machine, TEXT),
)


def show(page: ClaimsPage) -> None:
    """Print the page to the terminal."""
    console = Console()
    say(console, page.summary, style="bold")
    for one in page.articles:
        console.print(drawn(one.brief(), one.article.title))
        for text, number in one.notes.items():
            say(console, f"{number}. {text}")
        console.print()
