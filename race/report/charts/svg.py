"""SVG that stretches with its page: positions across are percent, heights and text are pixels.

One drawing so serves wide and narrow screens, and its text has the same size on both. Colours are
CSS variables (`var(--ink)`), so it serves light, dark and paper, too.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

Points = Iterable[tuple[float, float]]
"""Percent across, and percent down."""


@dataclass(frozen=True, slots=True)
class Scale:
    """Places numbers from `low` to `high` on a line of 100 percent; `log`: by their logarithm."""

    low: float
    high: float
    log: bool = False

    def percent(self, number: float) -> float:
        """Return the place of a number; one outside of the scale lies at its end."""
        low, high, inside = self.low, self.high, min(max(number, self.low), self.high)
        if self.log:
            low, high, inside = math.log(low), math.log(high), math.log(inside)
        return 100 * (inside - low) / (high - low or 1.0)

    def ticks(self, most: int = 4) -> list[float]:
        """Return round numbers within the scale."""
        return log_ticks(self.low, self.high) if self.log else even_ticks(self.low, self.high, most)


def even_ticks(low: float, high: float, most: int) -> list[float]:
    """Return about `most` round numbers at even distances."""
    base = 10.0 ** math.floor(math.log10((high - low) / most))
    steps = (base * digit for digit in (1, 2, 5, 10))
    step = next(one for one in steps if (high - low) / one <= most)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [round(place * step, 10) for place in range(first, last + 1)]


def log_ticks(low: float, high: float) -> list[float]:
    """Return 1, 2, 5, 10 over a wide range of a log scale, even steps over a narrow one.

    Both ends are above zero.
    """
    if high / low < 6:
        return even_ticks(low, high, 6)
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    digits = (1, 2, 3, 5) if high / low < 20 else (1, 2, 5) if high / low < 200 else (1,)
    steps = [digit * 10.0**decade for decade in decades for digit in digits]
    return [step for step in steps if low <= step <= high]


def element(name: str, *inside: str, **attributes: object) -> Markup:
    """Return an element; text in it and in its attributes is escaped.

    An underscore in an attribute's name stands for a hyphen, one at its end for nothing; attributes
    that are None are left out.
    """
    given = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(_short(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    content = "".join(escape(one) for one in inside)
    return Markup(f"<{name}{given}>{content}</{name}>")  # noqa: S704 - every part is escaped


def _short(value: object) -> object:
    """Pixels have one decimal at most."""
    return f"{value:.1f}".removesuffix(".0") if isinstance(value, float) else value


def percent(value: float) -> str:
    """Return an attribute's value in percent."""
    return f"{value:.2f}".rstrip("0").rstrip(".") + "%"


def text(words: str, x: float, y: float, **attributes: object) -> Markup:
    """Return a line of text at `x` percent and `y` pixels."""
    return element("text", words, x=percent(x), y=y, **attributes)


def tick(words: str, x: float, y: float) -> Markup:
    """Return a number of a horizontal axis; those at its ends stay within the drawing."""
    end = " first" if x < 3 else " last" if x > 97 else ""
    return text(words, x, y, class_=f"tick{end}")


def bar(low: float, high: float, y: float, height: float, **attributes: object) -> Markup:
    """Return a rectangle from `low` to `high` percent, with its middle at `y` pixels."""
    return element(
        "rect",
        x=percent(low),
        width=percent(high - low),
        y=y - height / 2,
        height=height,
        **attributes,
    )


def across(low: float, high: float, y: float, **attributes: object) -> Markup:
    """Return a horizontal line from `low` to `high` percent."""
    return element("line", x1=percent(low), x2=percent(high), y1=y, y2=y, **attributes)


def down(x: float, top: float, bottom: float, **attributes: object) -> Markup:
    """Return a vertical line at `x` percent."""
    return element("line", x1=percent(x), x2=percent(x), y1=top, y2=bottom, **attributes)


def shape(path: str, x: float, y: float, **attributes: object) -> Markup:
    """Return a path, drawn around its zero, at `x` percent and `y` pixels."""
    inside = element("path", d=path, **attributes)
    return element("svg", inside, x=percent(x), y=y, overflow="visible")


def stretched(height: float, *inside: Markup) -> Markup:
    """Return what `line` and `area` draw, stretched over the whole width."""
    return element(
        "svg",
        *inside,
        width="100%",
        height=height,
        viewBox="0 0 100 100",
        preserveAspectRatio="none",
        overflow="visible",
    )


def line(points: Points, **attributes: object) -> Markup:
    """Return a line through points, in a `stretched` drawing: as thick as if it were not."""
    return element("polyline", points=_points(points), fill="none", **attributes)


def area(points: Points, **attributes: object) -> Markup:
    """Return the area within points, in a `stretched` drawing."""
    return element("polygon", points=_points(points), **attributes)


def _points(points: Points) -> str:
    return " ".join(f"{x:.2f},{y:.2f}" for x, y in points)


@dataclass(frozen=True, slots=True)
class Panel:
    """One part of a drawing: its title, its height in pixels, what is in it.

    `left` pixels are kept for the numbers of a vertical axis, `note` stands behind the title.
    """

    title: str
    height: float
    drawn: Sequence[Markup]
    left: int = 0
    note: str = ""


def drawing(panels: Sequence[Panel], title: str, description: str, columns: int = 3) -> Markup:
    """Return panels side by side, one below the other where there is no room.

    `title` and `description` are what a screen reader speaks in place of the drawing.
    """
    return element(
        "div",
        *(_panel(one) for one in panels),
        class_="drawing",
        role="img",
        aria_label=f"{title}: {description}",
        style=f"--columns:{min(columns, len(panels))}",
    )


def _panel(panel: Panel) -> Markup:
    heading = [element("b", panel.title), " " * bool(panel.note), panel.note]
    named = element("p", *heading) if panel.title or panel.note else Markup("")
    picture = element(
        "svg",
        *panel.drawn,
        height=panel.height,
        style=f"margin-left:{panel.left}px;width:calc(100% - {panel.left}px)",
        aria_hidden="true",
    )
    return element("div", named, picture)
