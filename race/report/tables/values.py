"""Values that have a form of their own in HTML, and columns that are in many tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from markupsafe import Markup

from race.analysis.model import Comparison, ContenderResult
from race.report import format as words
from race.report.charts.colours import Palette
from race.report.table import TEXT, Column, ColumnKind, TableRow
from race.saved.model import Discipline
from race.stats.estimate import Estimate
from race.stats.verdict import Verdict


class Name(NamedTuple):
    """A contender's name with its colour; `version` is that of its interpreter.

    HTML has the short name, which leaves out what all share, and the label in its title.
    """

    label: str
    short: str
    colour: str
    pale: bool
    version: str = ""

    def __str__(self) -> str:
        return self.label

    def __html__(self) -> Markup:
        found = Markup('<span class="contender{}" style="--own:{}" title="{}">{}</span>').format(
            " pale" * self.pale, self.colour, self.label, self.short
        )
        return found + Markup(' <span class="version">{}</span>').format(self.version) * bool(
            self.version
        )


class Names(list[Name]):
    """Contenders with something in common."""

    def __str__(self) -> str:
        return words.listed([one.label for one in self])

    def __html__(self) -> Markup:
        return Markup(", ").join(one.__html__() for one in self)


class Ratio(NamedTuple):
    """A ratio with its interval; `of_cpu`: of CPU time, where the rate is a lower bound."""

    estimate: Estimate
    of_cpu: bool = False

    def __str__(self) -> str:
        return f"{'CPU ' * self.of_cpu}{self.estimate}"

    def __html__(self) -> Markup:
        value, _, interval = str(self.estimate).partition(" ")
        kind = Markup('<span class="bound">CPU</span> ') if self.of_cpu else Markup("")
        limits = Markup(' <span class="interval">{}</span>').format(interval) if interval else ""
        return Markup("{}<span>{}</span>{}").format(kind, value, limits)


class Rate(NamedTuple):
    """Units a second; `bound`: a lower bound."""

    value: float
    bound: bool

    def __str__(self) -> str:
        return f"{'≥ ' * self.bound}{words.number(self.value)}"

    def brief(self) -> str:
        """Return three digits and a unit."""
        return f"{'≥' * self.bound}{words.short(self.value)}"


class Saturated(NamedTuple):
    """The party that was saturated, and how busy the party under test was."""

    who: str | None
    party: str
    busy: float | None

    @property
    def parts(self) -> tuple[str, str]:
        """The saturated party, and the figure of the party under test where that is another."""
        own = "" if self.busy is None else f"{self.party} {100 * self.busy:.0f} %"
        return (own or self.party, "") if self.who == self.party else (self.who or "unknown", own)

    def __str__(self) -> str:
        return ", ".join(filter(None, self.parts))

    def __html__(self) -> Markup:
        who, own = (one.replace(" %", "\u00a0%") for one in self.parts)
        return Markup("{} <small>{}</small>").format(who, own) if own else Markup.escape(who)

    def brief(self) -> str:
        """Return how busy the party under test was; who else was saturated stands below."""
        busy = words.NONE if self.busy is None else f"{100 * self.busy:.0f} %"
        return busy if self.who in (None, self.party) else f"{busy}\n{self.who}"


class Strip(NamedTuple):
    """An interval on the table's own log scale, in percent of its width; `one` is the place of 1.

    `bound`: there is none, because the rate is a lower bound.
    """

    low: float
    point: float
    high: float
    one: float
    bound: bool = False

    def __str__(self) -> str:
        return ""

    def __html__(self) -> Markup:
        if self.bound:
            return Markup('<span class="bound">at least</span>')
        return Markup(
            '<span class="strip" aria-hidden="true" '
            'style="--low:{};--at:{};--high:{};--one:{}"><u></u><i></i><b></b></span>'
        ).format(*self[:4])


SIGNS = {
    "faster": "+",
    words.AT_LEAST: "+",
    words.LESS_CPU: "+",
    "slower": "−",
    words.MORE_CPU: "−",
    str(Verdict.EQUAL): "=",
    words.NONE: words.NONE,
}
"""The verdicts where there is little room."""
VERDICT = ColumnKind(str, right=False, brief=lambda text: SIGNS.get(text, "?"))
RATE = ColumnKind(str, brief=Rate.brief)
RATIO = ColumnKind(str)
COUNTED = ColumnKind(str, brief=lambda text: text.partition(" ")[0])
SATURATED = ColumnKind(str, right=False, brief=Saturated.brief)
REFERENCE = "1 (reference)"


def name(palette: Palette, item: ContenderResult, version: str = "") -> Name:
    """Return a contender's name as it stands in tables."""
    look = palette.look(item)
    return Name(look.label, look.short, look.colour, look.pale, version)


def contender(
    discipline: Discipline,
    palette: Palette,
    result: Callable[[Any], ContenderResult] = lambda item: item,
) -> Column:
    """Return the column of contenders' names; `result` gives the contender's of an item."""
    return Column(discipline.contender, lambda item: name(palette, result(item)), TEXT)


def row(values: Sequence[Any], item: ContenderResult) -> TableRow:
    """Return a contender's row; one without a rate has its state in place of figures."""
    if item.throughput is not None:
        return TableRow(values)
    label, *figures, cells = values
    return TableRow([label, *[None] * len(figures), cells], item.state, item.reason or "")


def rate(item: ContenderResult) -> Rate | None:
    """Return a contender's rate; None without one."""
    if item.throughput is None:
        return None
    return Rate(item.throughput.median, item.state == "at-least")


def ratio(comparison: Comparison, item: ContenderResult) -> Ratio | str | None:
    """Return the ratio to the reference; of CPU time where the rate is a lower bound."""
    if item.label == comparison.reference:
        return REFERENCE
    if item.ratio is None and comparison.closed and item.cpu_ratio:
        return Ratio(item.cpu_ratio, of_cpu=True)
    return Ratio(item.ratio) if item.ratio else None


def verdict(comparison: Comparison, item: ContenderResult) -> str | None:
    """Return the verdict on the ratio to the reference that `ratio` shows."""
    if item.state == "at-least" and comparison.reference in item.beats:
        return words.AT_LEAST
    if item.ratio is None and comparison.closed:
        return cpu_verdict(item)
    return words.verdict(item.ratio, item.verdict) if item.verdict else None


def cpu_verdict(item: ContenderResult) -> str | None:
    """Return the verdict on the ratio of CPU time; None without one."""
    if item.cpu_ratio is None:
        return None
    return words.verdict(item.cpu_ratio, item.cpu_verdict, of_cpu=True)


def saturated(comparison: Comparison, item: ContenderResult) -> Saturated | None:
    """Return who was saturated; None without a rate."""
    return Saturated(item.saturated, comparison.party, item.busy) if item.throughput else None


def cost(comparison: Comparison, css: str = "") -> Column:
    """Return the column of CPU time per unit of the party under test."""
    title = f"CPU µs/{words.one(comparison.discipline.unit)}"
    return Column(title, lambda item: item.cpu_us.get(comparison.party), brief="µs", css=css)


def who_was_saturated(comparison: Comparison, css: str = "saturated", brief: str = "") -> Column:
    """Return the column of who was saturated."""
    return Column(
        "saturated", lambda item: saturated(comparison, item), SATURATED, brief=brief, css=css
    )


CELLS = Column("n", words.counted, COUNTED, css="third")
"""The column of the number of cells."""


def strips(items: Sequence[ContenderResult]) -> dict[str, Strip]:
    """Return label to strip, for every contender whose ratio has an interval."""
    known = {item.label: item.ratio for item in items if item.ratio and item.ratio.bounded}
    if not known:
        return {}
    least = min(0.0, *(one.low for one in known.values()))
    width = max(0.0, *(one.high for one in known.values())) - least or 1.0

    def place(log: float) -> float:
        return round(2 + 96 * (log - least) / width, 2)

    return {
        label: Strip(place(one.low), place(one.value), place(one.high), place(0.0))
        for label, one in known.items()
    }
