"""A race as Markdown, for an issue, a pull request or a README."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence

from race.analysis import crowds
from race.analysis.model import Analysis, Contest
from race.report import format as words
from race.report import sentences
from race.report.legend import Group, legend


def page(analysis: Analysis) -> str:
    """Headline, warnings, legend, one ranking for each contest of the closed loop, what crowds saw,
    the command.
    """
    head = analysis.race.head
    first = analysis.headline.text if analysis.headline else head.scenario.get("title", head.race)
    parts = [f"# {escape(first)}"]
    parts += [f"> {escape(warning)}" for warning in analysis.trust.warnings]
    parts += [_legend(groups)] if (groups := legend(analysis, cells=False)) else []
    parts += [_contest(analysis, contest) for contest in analysis.closed()]
    parts += [_crowd(group) for group in crowds.crowds(analysis)]
    commit = escape(words.commit(head.environment)) if head.environment.commit else ""
    where = f" on commit {commit}" if commit else ""
    parts.append(f"Repeat it{where}:\n\n{code(shlex.join(head.command))}")
    return "\n\n".join(parts) + "\n"


def _legend(groups: Sequence[Group]) -> str:
    """What words and signs mean, folded: a reader who knows them sees one line."""
    parts = ["<details><summary>How to read this</summary>"]
    for group in groups:
        lines = (f"- **{escape(one.term)}**: {escape(one.text)}" for one in group.entries)
        parts.append(f"**{escape(group.title)}**")
        parts.append("\n".join(lines))
    return "\n\n".join([*parts, "</details>"])


def _contest(analysis: Analysis, contest: Contest) -> str:
    discipline = contest.discipline
    rows = [
        [
            words.rank(contest, item),
            item.label,
            words.rate(item),
            words.ratio(contest, item) if item.throughput else f"{item.state}: {item.reason}",
            words.number(item.cpu_us.get(contest.party)),
            words.full(contest, item),
            words.counted(item),
        ]
        for item in contest.standings
    ]
    cost = f"CPU µs/{words.one(discipline.unit)}"
    names = [
        "rank",
        discipline.contender,
        f"{discipline.unit}/s",
        "ratio [95 %]",
        cost,
        "full",
        "n",
    ]
    said = f"{sentences.load(analysis, contest)}. {sentences.said(contest)}"
    return f"## {escape(contest.place)}\n\n{escape(said)}\n\n{table(names, rows, left=(1,))}"


def _crowd(group: crowds.Group) -> str:
    """Contenders under a crowd, who did not keep up, then every pair in a sentence."""
    contest = group.contest
    rows: list[list[str]] = []
    for side in group.sides:
        whole = side.parts[crowds.ALL]
        found = (whole.p50_us, side.p95_us)
        times = [words.milliseconds(one.median if one else None) for one in found]
        failed = words.percent(side.lost)
        rows.append(
            [side.item.label, f"{whole.count.median:,.0f}", *times, failed, f"{side.cells}"]
        )
    names = [contest.discipline.contender, contest.discipline.unit, "median", "p95", "failed", "n"]
    late = [f"{one.item.label}: {one.item.reason}." for one in group.sides if one.lost is not None]
    pairs = [sentences.versus(contest, pair) for pair in group.pairs]
    said = "\n".join(f"- {escape(text)}" for text in (*late, *pairs))
    heading = f"## {escape(group.title)}\n\n{escape(contest.load)}"
    return "\n\n".join(filter(None, (heading, table(names, rows, left=(0,)), said)))


def table(names: Sequence[str], rows: Sequence[Sequence[str]], left: Sequence[int] = ()) -> str:
    """A table; columns are right-aligned but for those in `left`."""
    rule = [":--" if column in left else "--:" for column in range(len(names))]
    shown = [[escape(text) for text in row] for row in (names, *rows)]
    lines = [shown[0], rule, *shown[1:]]
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
