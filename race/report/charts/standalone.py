"""A drawing as a file of its own: an SVG that any page can show."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from race.report.charts import svg
from race.report.charts.svg import Panel
from race.report.template import HERE

WIDTH, EDGE, GAP = 880, 20, 26
TITLE, LINE, HEADING = 30, 17, 24
"""Pixels of the title, of a line of the key, and of a panel's heading."""
LETTER = 6.3
"""Pixels of a letter of the key."""
OWN_RULES = (
    "svg { fill: var(--ink); font: 12.5px sans-serif; }",
    ".paper { fill: var(--paper); }",
    ".title { font-size: 16px; font-weight: 600; }",
)


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of a key: what is drawn before its text, around its zero."""

    drawn: Markup
    text: str


def standalone(
    panels: Sequence[Panel],
    title: str,
    description: str,
    key: Sequence[Entry] = (),
    columns: int = 1,
) -> str:
    """Return the text of an SVG file with panels in rows; it loads nothing else."""
    explained, top = _key(key, TITLE + LINE)
    width = (WIDTH - 2 * EDGE - GAP * (columns - 1)) / columns
    drawn: list[Markup] = []
    for first in range(0, len(panels), columns):
        row = panels[first : first + columns]
        for number, panel in enumerate(row):
            drawn += _panel(panel, EDGE + number * (width + GAP), top, width)
        top += round(max(panel.height for panel in row)) + HEADING + GAP
    inside = [
        svg.element("title", f"{title}: {description}"),
        svg.element("style", Markup(_style())),  # noqa: S704 - our own file
        svg.element("rect", width=WIDTH, height=top, class_="paper"),
        svg.element("text", title, x=EDGE, y=TITLE, class_="title"),
        *explained,
        *drawn,
    ]
    box = f"0 0 {WIDTH} {top}"
    namespace = {"xmlns": "http://www.w3.org/2000/svg", "viewBox": box, "role": "img"}
    return _coloured(svg.element("svg", *inside, **namespace)) + "\n"


def _panel(panel: Panel, x: float, y: float, width: float) -> list[Markup]:
    """Return a panel with its heading."""
    note = svg.element("tspan", panel.note, class_="said", dx=6) if panel.note else Markup("")
    picture = svg.element(
        "svg",
        *panel.drawn,
        x=x + panel.left,
        y=y + HEADING,
        width=width - panel.left,
        height=panel.height,
        overflow="visible",
    )
    return [svg.element("text", panel.title, note, x=x, y=y + 12, class_="group"), picture]


def _key(entries: Sequence[Entry], top: int) -> tuple[list[Markup], int]:
    """Return the key, broken into lines, and where it ends."""
    drawn: list[Markup] = []
    x, y = EDGE, top + 4
    for entry in entries:
        length = round(34 + LETTER * len(entry.text))
        if x + length > WIDTH - EDGE and x > EDGE:
            x, y = EDGE, y + LINE
        place = f"translate({x + 9} {y - 4})"
        drawn.append(svg.element("g", entry.drawn, transform=place))
        drawn.append(svg.element("text", entry.text, x=x + 22, y=y, class_="said"))
        x += length
    return drawn, y + LINE if entries else top


def _style() -> str:
    """Return the rules of the report's drawings."""
    rules = [
        line.replace(".drawing ", "")
        for line in _sheet().splitlines()
        if re.match(r"\.drawing (text|\.)", line)
    ]
    return "\n".join([*rules, *OWN_RULES])


def _coloured(text: str) -> str:
    """Return a text with light colours in place of CSS variables, which few viewers know."""
    colours = dict(re.findall(r"--([\w-]+): ([^;]+);", _sheet().partition("@media")[0]))
    return re.sub(r"var\(--([\w-]+)\)", lambda match: colours[match[1]], text)


def _sheet() -> str:
    return (HERE / "style.css").read_text(encoding="utf-8")
