"""Two races side by side: terminal, Markdown, HTML."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from markupsafe import Markup

from race.analysis.compare import FEWEST, Change, RunComparison
from race.analysis.values import place
from race.console import Console
from race.report import format as words
from race.report import markdown as marked
from race.report.charts.figures import ratios
from race.report.charts.rows import Interval
from race.report.console import drawn, say
from race.report.table import TEXT, Column, ReportTable, fill
from race.report.tables.values import RATIO, Ratio
from race.report.template import environment

_STYLES = {"slower": "bold red", "fails now": "bold red", "faster": "green", "recovered": "green"}
_COLOURS = {"slower": "var(--accent)", "faster": "var(--accent2)"}


@dataclass(frozen=True, slots=True)
class Section:
    """The changes on one work."""

    title: str
    changes: list[Change]
    limit: str
    drawing: Markup | None


def headline(found: RunComparison) -> str:
    """Return the comparison in one sentence."""
    if not any(change.estimate or change.regression for change in found.changes):
        return f"{found.new} cannot be compared with {found.old}: no cell in common"
    slower = found.regressions
    if len(slower) > 1:
        return f"{len(slower)} of {len(found.in_both)} results are worse in {found.new}"
    if slower:
        (one,) = slower
        worse = "fails now" if one.outcome == "fails now" else f"is slower: {one.estimate}"
        return f"{one.label} on {title(found, one)} {worse}"
    if found.threshold is None:
        return f"Nothing in {found.new} is shown to be slower than in {found.old}"
    if found.unseen:
        return f"Whether anything is {_percent(found.threshold)} slower is open: {_blind(found)}"
    return f"Nothing in {found.new} is {_percent(found.threshold)} slower than in {found.old}"


def _blind(found: RunComparison) -> str:
    """Return what the gate could have seen where it saw least."""
    one = found.unseen[0]
    where = f"{one.label} on {title(found, one)}"
    if one.estimate is None:
        return f"{where} has no figure that counts in both"
    if not math.isfinite(one.visible):
        few = f"{one.rounds[0]} and {one.rounds[1]}"
        return f"{where} has {few} rounds, and {FEWEST} or more are needed in each race"
    if one.visible <= one.limit:
        return f"{where} is at {one.estimate}"
    return f"this comparison could have seen {_percent(-math.expm1(-one.visible))} ({where})"


def _percent(fraction: float) -> str:
    return f"{100 * fraction:.2g} %"


def title(found: RunComparison, change: Change) -> str:
    """Return the place of a change: "Good, 2,000/s offered"."""
    rate = change.work.load.rate
    offered = f", {rate:,.0f}/s offered" if rate is not None else ""
    return place(found.discipline, change.work) + offered


def show(found: RunComparison) -> None:
    """Print the comparison to the terminal: which two, what both have, what only one has."""
    console = Console()
    say(console, f"before: {found.old}")
    say(console, f"after:  {found.new}")
    say(console, headline(found), style="bold")
    for section in _sections(found):
        title = f"{section.title}: {section.changes[0].measure}"
        console.print(drawn(table(found, section, measure=False), title, section.limit))
    for line in alone(found):
        say(console, line)
    for line in notes(found):
        say(console, f"! {line}")


def alone(found: RunComparison) -> list[str]:
    """Return a line for what only one of the races has: contenders, or their tasks."""
    lines = []
    for outcome, which in (("gone", "before"), ("new", "after")):
        elsewhere = {change.label for change in found.changes if change.outcome != outcome}
        places: dict[str, list[str]] = {}
        for change in found.changes:
            if change.outcome == outcome:
                places.setdefault(change.label, []).append(title(found, change))
        alike: dict[str, list[str]] = {}
        for label, where in places.items():
            on = f" on {'; '.join(where)}" if label in elsewhere else ""
            alike.setdefault(on, []).append(label)
        lines += [f"only {which}: {', '.join(labels)}{on}" for on, labels in alike.items()]
    return lines


class Verdict(str):
    """The verdict on a change, with its style in HTML and on a terminal."""

    @property
    def css(self) -> str:
        """The class of its cell."""
        return "failed" if self in ("slower", "fails now") else ""

    @property
    def style(self) -> str:
        """The style of its text on a terminal."""
        return _STYLES.get(self, "")


def table(found: RunComparison, section: Section, measure: bool = True) -> ReportTable:
    """Return the changes on one work; `measure`: with the column that says what is measured."""
    what = Column("measure", lambda change: change.measure, TEXT)
    columns = (
        Column(found.discipline.contender, lambda change: change.label, TEXT),
        *([what] if measure else []),
        Column("before", lambda change: change.old),
        Column("after", lambda change: change.new),
        Column("ratio [95 %]", _ratio, RATIO),
        Column("verdict", _verdict, TEXT),
    )
    return fill(section.title, columns, section.changes, css="numbers")


def _verdict(change: Change) -> Verdict:
    """Return what happened to a contender, in a few words."""
    if change.outcome != "compared":
        return Verdict(change.outcome)
    return Verdict(words.verdict(change.estimate, change.verdict))


def _ratio(change: Change) -> Ratio | None:
    return Ratio(change.estimate) if change.estimate else None


def limit(change: Change) -> str:
    """Return the margin that a change at this work must exceed, as a sentence."""
    if math.isinf(change.margin):
        return "The noise floor is unknown: too few A/A rounds."
    return f"A change must exceed {100 * math.expm1(change.margin):.1f} %."


def notes(found: RunComparison) -> list[str]:
    """Return the warnings, and the shift that all contenders share."""
    lines = list(found.warnings)
    if found.common is not None:
        alone = f"relative to all contenders of the {found.discipline.task}"
        kind = alone if found.relative else "together"
        lines.append(f"The middle of all changes, {kind}: {100 * math.expm1(found.common):+.1f} %.")
    return lines


def markdown(found: RunComparison) -> str:
    """Return the comparison as Markdown."""
    parts = [f"# {marked.escape(headline(found))}"]
    parts.append(f"- before: {marked.escape(found.old)}\n- after: {marked.escape(found.new)}")
    parts += [f"> {marked.escape(line)}" for line in notes(found)]
    for section in _sections(found):
        parts.append(f"## {marked.escape(section.title)}\n\n{section.limit}")
        parts.append(marked.table(table(found, section)))
    if lines := alone(found):
        parts.append("\n".join(f"- {marked.escape(line)}" for line in lines))
    return "\n\n".join(parts) + "\n"


def html(found: RunComparison) -> str:
    """Return the comparison as one self-contained HTML page."""
    return (
        environment()
        .get_template("compare.html.j2")
        .render(
            found=found,
            headline=headline(found),
            notes=notes(found),
            sections=list(_sections(found, drawn=True)),
            alone=alone(found),
            table=table,
        )
    )


def _sections(found: RunComparison, drawn: bool = False) -> Iterator[Section]:
    """Yield a section for each work and measure that both races have, with its chart if `drawn`."""
    works = list(dict.fromkeys(change.work for change in found.changes))
    ordered = sorted(found.in_both, key=lambda one: (works.index(one.work), one.measure))
    for _, group in groupby(ordered, lambda change: (change.work, change.measure)):
        changes = list(group)
        heading = title(found, changes[0])
        drawing = _drawing(heading, changes) if drawn else None
        yield Section(heading, changes, limit(changes[0]), drawing)


def _drawing(heading: str, changes: Sequence[Change]) -> Markup | None:
    """Return after over before, with the limit as a band around 1."""
    rows = [
        Interval(
            one.label, str(one.estimate), _COLOURS.get(_verdict(one), "var(--muted)"), one.estimate
        )
        for one in changes
        if one.estimate
    ]
    if not rows:
        return None
    band = changes[0].margin if math.isfinite(changes[0].margin) else 0.0
    return ratios(rows, 100 * math.expm1(band), f"{heading}: after over before")
