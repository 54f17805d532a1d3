"""A chart of grouped bars: every contender beside the others, a group for each task."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from race.report import format as words
from race.report.charts import svg
from race.report.charts.colours import PARTS, without
from race.report.charts.rows import AXIS, Bar, axis
from race.report.charts.svg import Panel, Scale

HEADING, STEP, GAP = 24, 17, 10
"""Pixels of a group's title, from one bar to the next, and below a group."""
LETTER, MOST_LETTERS, MOST_LEFT = 6.6, 29, 186
"""Pixels of a letter of a short name; the most letters of a name, and pixels that are kept for it:
half of a phone.
"""


@dataclass(frozen=True, slots=True)
class Group:
    """The bars of one task."""

    title: str
    bars: Sequence[Bar]

    @property
    def end(self) -> float:
        """The end of its longest bar or interval."""
        ends = [max(bar.value, bar.range.high if bar.range else 0) for bar in self.bars]
        return max(ends, default=0)

    @property
    def height(self) -> int:
        return HEADING + STEP * len(self.bars) + GAP


def groups(found: Sequence[Group], title: str, note: str = "") -> Panel:
    """Return a panel of groups, one below the other, over one axis from 0.

    The names stand to the left of their bars, the texts at their ends, and the range of a bar is a
    thin line.
    """
    names, left_out = shorter(bar.look.short for group in found for bar in group.bars)
    letters = max(len(_fitting(name)) for name in names.values())
    left = min(round(letters * LETTER) + 8, MOST_LEFT)
    scale = Scale(0, max(group.end for group in found) * 1.45 or 1)
    height = sum(group.height for group in found)
    drawn, top = [*axis(scale, height, scale.ticks(3), _tick)], 0
    for group in found:
        drawn.append(svg.text(group.title, 0, top + 17, dx=-left, class_="group"))
        for number, bar in enumerate(group.bars):
            drawn += _bar(bar, names, scale, top + HEADING + STEP * number + STEP / 2)
        top += group.height
    if left_out:
        note = f"{note} Names are without {words.listed(left_out)}.".strip()
    return Panel(title, height + AXIS, drawn, left, note)


def shorter(names: Iterable[str]) -> tuple[Mapping[str, str], Sequence[str]]:
    """Return name to name, and the parts that were left out.

    Where a name has no room, parts that most names have are left out, if no two become alike.
    """
    found: Mapping[str, str] = {name: name for name in names}
    left_out: list[str] = []
    number_of = Counter(part for name in found for part in set(PARTS.split(name)))
    for part, number in number_of.most_common():
        if number * 2 <= len(found) or max(map(len, found.values())) <= MOST_LETTERS:
            break
        fewer = {name: without(name, [*left_out, part]) for name in found}
        if all(fewer.values()) and len({*fewer.values()}) == len(fewer):
            found, left_out = fewer, [*left_out, part]
    return found, left_out


def _tick(number: float) -> str:
    return words.short(number) if number >= 1000 else f"{number:g}"


def _bar(bar: Bar, names: Mapping[str, str], scale: Scale, y: float) -> Iterator[Markup]:
    look, far = bar.look, bar.value
    yield svg.text(_fitting(names[look.short]), 0, y + 4, dx=-8, class_="value")
    own = {"fill": look.colour, "opacity": look.opacity}
    yield svg.bar(0, scale.percent(bar.value), y, STEP - 5, rx=1.5, **own)
    if bar.range:
        far = max(far, bar.range.high)
        low, high = scale.percent(bar.range.low), scale.percent(bar.range.high)
        yield svg.across(low, high, y, class_="whisker")
    yield svg.text(bar.text, scale.percent(far), y + 4, dx=6)


def _fitting(name: str) -> str:
    """Return a name without its middle where it has no room."""
    if len(name) <= MOST_LETTERS:
        return name
    half = (MOST_LETTERS - 1) // 2
    return f"{name[:half]}…{name[-half:]}"
