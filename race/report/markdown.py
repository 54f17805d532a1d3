"""A race as Markdown, for an issue, a pull request or a README."""

from __future__ import annotations

import html
import re
import shlex
from collections.abc import Iterator

from race.analysis import user_loads
from race.analysis.distributions import latencies, summaries, timed
from race.analysis.model import Analysis
from race.analysis.scaling.curves import scalings
from race.analysis.user_loads import UserLoadGroup
from race.report import format as words
from race.report import legend, sentences
from race.report.table import ReportTable
from race.report.tables import fixed, more, ranking, rates, workers
from race.report.tables import user_loads as users
from race.report.tables.pair import pair


def page(analysis: Analysis) -> str:
    """Return the race: headline, warnings, legend, tables with remarks, and the command."""
    return "\n\n".join(filter(None, _parts(analysis))) + "\n"


def _parts(analysis: Analysis) -> Iterator[str]:
    head = analysis.race.head
    first = analysis.result or head.scenario.get("title", head.race)
    yield f"# {escape(first)}"
    yield from (f"> {escape(warning)}" for warning in analysis.trust.warnings)
    yield _legend(analysis)
    yield escape(f"Left out: {'; '.join(head.left_out)}.") if head.left_out else ""
    yield from _pair(analysis)
    yield from _glance(analysis)
    for one in summaries(analysis):
        means = fixed.means(analysis, one)
        yield from _section(means.title, means, means.caption)
    watched = {one.comparison.work: one for one in user_loads.watched(analysis)}
    for comparison in analysis.closed():
        text = f"{comparison.load}. {sentences.remarks(comparison)}"
        yield from _section(comparison.place, ranking.ranking(analysis, comparison), text)
        if found := watched.get(comparison.work):
            yield table(users.watched(analysis, found, ranked=True))
        if comparison.work.load.fixed:
            times = timed(analysis, comparison)
            yield table(fixed.distributions(analysis, comparison, times, ranked=True))
    for comparison in rates.shared(analysis):
        rated = rates.rated(analysis, comparison, latencies(analysis, comparison))
        yield from _section(f"{comparison.place}, {comparison.load}", rated, rated.caption)
    yield from _workers(analysis)
    groups = user_loads.user_loads(analysis)
    yield from map(escape, user_loads.known_limits(groups))
    for group in groups:
        yield from _users(analysis, group)
    yield from _effects(analysis)
    if answers := more.answers(analysis):
        yield _folded(answers.title, table(answers))
    where = (
        f" on commit {escape(words.commit(head.environment))}" if head.environment.commit else ""
    )
    yield f"Repeat it{where}:\n\n{code(shlex.join(head.command))}"


def _pair(analysis: Analysis) -> Iterator[str]:
    """Yield the ratios of a race of two contenders."""
    if both := pair(analysis):
        yield from _section(both.title, both, both.caption)


def _glance(analysis: Analysis) -> Iterator[str]:
    """Yield the ranks at every task; one task has them in its own table."""
    if len(analysis.closed()) > 1:
        about = ranking.about_glance(analysis)
        yield from _section("At a glance", ranking.glance(analysis), about)


def _workers(analysis: Analysis) -> Iterator[str]:
    """Yield how rates grow with workers, where several numbers of them ran."""
    for comparison in analysis.closed():
        if found := scalings(analysis, comparison):
            points = workers.points(analysis, comparison, found)
            yield from _section(points.title, points)
            yield table(workers.knees(analysis, comparison, found))


def _section(title: str, found: ReportTable, text: str = "") -> Iterator[str]:
    """Yield a heading, a text and a table."""
    yield f"## {escape(title)}"
    yield escape(text)
    yield table(found)


def _legend(analysis: Analysis) -> str:
    """Return the meaning of words and signs, folded into one line."""
    parts = []
    for group in legend.legend(analysis, cells=False):
        lines = (f"- **{escape(one.term)}**: {escape(one.text)}" for one in group.entries)
        parts += [f"**{escape(group.title)}**", "\n".join(lines)]
    return _folded("How to read this", *parts) if parts else ""


def _folded(title: str, *parts: str) -> str:
    """Return parts that a click on the title opens."""
    summary = f"<details><summary>{html.escape(title)}</summary>"
    return "\n\n".join([summary, *parts, "</details>"])


def _users(analysis: Analysis, group: UserLoadGroup) -> Iterator[str]:
    """Yield the tables of a user load, and a line for each contender that did not keep up."""
    figures = users.users(analysis, group)
    about = f"{group.comparison.load}, {words.plural(group.rounds, 'round')}. {figures.caption}"
    yield from _section(group.title, figures, about)
    late = [sentences.late(side) for side in group.sides if side.late]
    yield "\n".join(f"- {escape(text)}" for text in late)
    yield table(users.pairs(analysis, group)) if group.pairs else ""
    yield table(users.parts(group))


def _effects(analysis: Analysis) -> Iterator[str]:
    """Yield every pair that differs in one factor alone."""
    tables = [more.pairs(analysis, found) for found in more.contrasts(analysis)]
    if tables:
        text = (
            f"{analysis.discipline.unit.capitalize()}/s with one choice against the other, "
            "everything else equal. A contender that was not limited by its own core is in no pair."
        )
        parts = [part for one in tables for part in (f"**{escape(one.title)}**", table(one))]
        yield _folded("What each choice buys", escape(text), *parts)


def table(found: ReportTable) -> str:
    """Return a table without its empty columns; "" if no figure is left."""
    found = found.known()
    if len(found.columns) < 2:
        return ""
    names = [escape(column.title) for column in found.columns]
    rule = ["--:" if column.kind.right else ":--" for column in found.columns]
    rows = [[escape(text) for text in row] for row in found.texts()]
    return "\n".join(f"| {' | '.join(line)} |" for line in (names, rule, *rows))


def code(text: str) -> str:
    """Return a code block, with a fence longer than any run of backticks inside."""
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", text)), default=0))
    return f"{fence}\n{text}\n{fence}"


def escape(text: str) -> str:
    """Return text that Markdown shows as it is."""
    for sign in "\\`*_<>|":
        text = text.replace(sign, "\\" + sign)
    text = re.sub(r"\](?=[(\[:])", r"\]", text)  # no link, and "[0.95, 1.02]" as it is
    return " ".join(text.split())
