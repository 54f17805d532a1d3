"""A run as Markdown, for an issue, a pull request or a README."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence

from race.analysis.analyse import analyse
from race.analysis.model import Contest
from race.report import format as words
from race.report import sentences as chapters
from race.report.charts.figures import place
from race.saved.reader import Run


def page(run: Run) -> str:
    """Headline, warnings, one ranking for each contest of the closed loop, and the command."""
    analysis = analyse(run)
    head = analysis.headline.text if analysis.headline else run.head.run
    parts = [f"# {escape(head)}"]
    parts += [f"> {escape(warning)}" for warning in analysis.validity.warnings]
    for contest in analysis.contests:
        if contest.key.load.rate is None:
            parts.append(_contest(contest))
    parts.append(f"Repeat it:\n\n{code(shlex.join(run.head.command))}")
    return "\n\n".join(parts) + "\n"


def _contest(contest: Contest) -> str:
    title = place(contest.key.page, contest.key.load.pipeline)
    rows = [
        [words.rank(contest, item), item.label, words.rate(item),
         words.ratio(contest, item) if item.state == "ranked" else f"{item.state}: {item.reason}",
         words.number(item.cpu_us.get("server")), words.milliseconds(item.latency_us.get("p99"))]
        for item in contest.standings
    ]  # fmt: skip
    names = ["rank", "engine", "requests/s", "ratio [95 %]", "CPU µs/request", "p99"]
    return (
        f"## {escape(title)}\n\n{escape(chapters.said(contest))}\n\n{table(names, rows, left=(1,))}"
    )


def table(names: Sequence[str], rows: Sequence[Sequence[str]], left: Sequence[int] = ()) -> str:
    """A table; columns are right-aligned but for those in `left`."""
    rule = [":--" if column in left else "--:" for column in range(len(names))]
    lines = [names, rule, *([escape(text) for text in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def code(text: str) -> str:
    """A code block, with a fence longer than any run of backticks inside."""
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", text)), default=0))
    return f"{fence}\n{text}\n{fence}"


def escape(text: str) -> str:
    """Text that Markdown shows as it is."""
    for sign in "\\`*_<>|":
        text = text.replace(sign, "\\" + sign)
    return " ".join(text.split())
