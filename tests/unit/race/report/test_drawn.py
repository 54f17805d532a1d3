"""Drawings and tables by themselves: where marks lie, what each form of a table shows."""

from __future__ import annotations

import math
import re
from operator import itemgetter

import pytest

from race.analysis.model import Spread
from race.analysis.user_loads import Point
from race.report.charts.colours import Look
from race.report.charts.lines import Across, Curve, curves, timeline
from race.report.charts.rows import (
    WHOLE,
    Bar,
    Interval,
    LatencyBox,
    Stack,
    bars,
    boxes,
    intervals,
    stacks,
)
from race.report.charts.svg import Scale, drawing
from race.report.console import drawn
from race.report.markdown import table as markdown
from race.report.table import (
    NUMBER,
    PLAIN,
    TEXT,
    Column,
    ReportTable,
    TableRow,
    as_above,
    fill,
    spreadsheet,
)
from race.report.template import environment
from race.stats.estimate import Estimate
from tests.unit.race.reading import printed

LOOK = Look("all: quick <one>", "quick <one>", "red", False)
PALE = Look("all: slow", "slow", "blue", True)
TICKS = [
    (Scale(0, 7), [0, 2, 4, 6]),
    (Scale(0, 1200), [0, 500, 1000]),
    (Scale(0.93, 1.3, log=True), [1, 1.1, 1.2, 1.3]),
    (Scale(3, 40, log=True), [3, 5, 10, 20, 30]),
    (Scale(2, 3000, log=True), [10, 100, 1000]),
]


@pytest.mark.parametrize(("scale", "ticks"), TICKS)
def test_ticks_are_round_numbers_within_the_scale(scale: Scale, ticks: list[float]) -> None:
    assert scale.ticks() == pytest.approx(ticks)


def test_a_scale_places_numbers_in_percent() -> None:
    assert [Scale(0, 50).percent(one) for one in (0, 10, 50, 99)] == [0, 20, 100, 100]
    assert [Scale(1, 100, log=True).percent(one) for one in (1, 10, 100)] == [0, 50, 100]


def attributes(found: object, tag: str, name: str) -> list[float]:
    """The values of an attribute, in the order of the drawing."""
    return [float(one) for one in re.findall(rf'<{tag}[^>]* {name}="([\d.]+)%?"', str(found))]


def test_bars_are_as_long_as_their_numbers_and_fit_their_panel() -> None:
    rows = [Bar(LOOK, 100, "100", Spread(100, 50, 200)), Bar(PALE, 25, "25")]
    found = drawing([bars(rows, "Rates")], "Rates", "two")
    assert attributes(found, "rect", "width") == [40, 10]  # of 1.25 times the largest, 200
    assert attributes(found, "line", "x1") == [20]
    assert attributes(found, "line", "x2") == [80]
    assert "quick &lt;one&gt;" in found
    assert 'opacity="0.6"' in found.partition("slow")[2]
    stacked = drawing([stacks([Stack(LOOK, [30, 10]), Stack(PALE, [100, 0])], "")], "", "")
    first, second, *_ = attributes(stacked, "rect", "width")
    assert attributes(stacked, "rect", "x")[:2] == [0, first]
    assert first == pytest.approx(3 * second, abs=0.02)


def test_contenders_on_one_graph_share_its_scales() -> None:
    points = {
        LOOK: [Point(0, 0, 0, 0), Point(2, 1000, 1000, 1000)],
        PALE: [Point(0, 0, 0, 0), Point(1, 500, 500, 500)],
    }
    found = str(drawing([timeline(points, "rate", 1e3)], "", ""))
    first, second = re.findall(r'points="([^"]+)"', found)
    (_, end), (_, other) = (one.split() for one in (first, second))
    assert end.startswith("100.00,")
    assert other.startswith("50.00,")
    assert float(other.partition(",")[2]) > float(end.partition(",")[2])


def test_boxes_and_intervals_lie_where_their_figures_are() -> None:
    at = {1.0: 1e3, 25.0: 2e3, 50.0: 4e3, 75.0: 8e3, 99.0: 32e3}.get
    found = drawing([boxes([LatencyBox(LOOK, at)], "")], "", "")
    scale = Scale(1 / 1.1, 32 * 1.1, log=True)
    assert attributes(found, "rect", "x") == [pytest.approx(scale.percent(2), abs=0.01)]
    assert attributes(found, "circle", "cx") == []  # p99.9 is not known
    whole = {0.0: 1e3, **{one: one * 1e3 for one in (25.0, 50.0, 75.0, 90.0, 99.0, 100.0)}}.get
    found = drawing([boxes([LatencyBox(LOOK, whole)], "", WHOLE)], "", "")
    scale = Scale(1 / 1.1, 100 * 1.1, log=True)
    dots = [pytest.approx(scale.percent(one), abs=0.01) for one in (90, 99)]
    assert attributes(found, "circle", "cx") == dots
    assert attributes(found, "line", "x2")[-2] == pytest.approx(scale.percent(100), abs=0.01)
    ratio = Estimate(math.log(1.2), math.log(1.1), math.log(1.3), 9)
    rows = [
        Interval("Good", "1.2", "red", ratio),
        Interval("Bad", "?", "red", None, [ratio, ratio]),
    ]
    found = drawing([intervals(rows, 3.0)], "", "")
    band, own = attributes(found, "rect", "x"), attributes(found, "circle", "cx")
    assert len(band) == 2
    assert band[0] < band[1] < own[0] == own[1]


def test_lines_run_upwards_and_mark_bounds_and_lost_points() -> None:
    curve = Curve(LOOK, [(1, 10), (2, 100)], frozenset([2.0]), lost=[2])
    across = Across(Scale(1, 2), "depth", [1, 2])
    found = str(drawing([curves([curve], across, "Good", "ms")], "", ""))
    (points,) = re.findall(r'points="([^"]+)"', found)
    (x1, y1), (x2, y2) = (map(float, one.split(",")) for one in points.split())
    assert (x1, x2) == (0, 100)
    assert y1 > y2
    assert [found.count(sign) for sign in ("≥", "✕")] == [1, 1]
    assert found.count("<path") == 2
    moments = [Point(0, 5, 4, 6), Point(10, 10, 8, 12)]
    over = str(drawing([timeline({PALE: moments}, "a", 1.0, "users", (10, 12))], "", ""))
    band, mean = re.findall(r'points="([^"]+)"', over)
    assert (len(band.split()), len(mean.split())) == (4, 2)


COLUMNS = [
    Column("driver", itemgetter(0), TEXT),
    Column("operations/s", itemgetter(1), NUMBER, brief="rate/s"),
    Column("nothing", itemgetter(2), PLAIN),
]
ROWS = [
    TableRow(["a_quick & long-name", 1234.5, None]),
    TableRow(["gone", None, None], "failed", "it <ended>"),
]
TABLE = ReportTable("Rates", COLUMNS, ROWS, "A caption.")


def test_a_table_shows_what_is_known_in_each_form() -> None:
    assert markdown(TABLE).splitlines() == [
        "| driver | operations/s |",
        "| :-- | --: |",
        "| a\\_quick & long-name | 1,234 |",
        "| gone | failed: it \\<ended\\> |",
    ]
    assert spreadsheet(TABLE).splitlines() == [
        "driver,operations/s,nothing",
        "a_quick & long-name,1234.5,",
        "gone,,",
    ]
    source = '{% from "macros.html.j2" import table with context %}{{ table(found) }}'
    html = environment().from_string(source).render(found=TABLE)
    assert "nothing" not in html
    assert "a_quick &amp; long-name</th>" in html
    assert '<td colspan="1" class="reason wide-cell"><span class="failed">failed</span>' in html
    assert ": it &lt;ended&gt;</td>" in html
    assert markdown(ReportTable("", COLUMNS, [TableRow(["a", None, None])])) == ""


@pytest.mark.parametrize(("width", "shown"), [(60, "operations/s"), (22, "rate/s")])
def test_a_terminal_without_the_room_gets_brief_headings(width: int, shown: str) -> None:
    text = printed(drawn(TABLE, "Rates"), width=width)
    assert shown in text
    assert "failed" in text
    assert "ended" not in text
    assert max(map(len, text.splitlines())) <= width


NAMES = [Column(name, itemgetter(at), TEXT) for at, name in enumerate(("claim", "task", "who"))]


def test_what_is_as_above_is_not_shown_but_there_in_html() -> None:
    rows = [("a", "good", "x" * 30), ("a", "good", "y"), ("b", "good", "y")]
    table = as_above(fill("", NAMES, rows), range(2), within=0)
    assert markdown(table).splitlines()[2:] == [
        f"| a | good | {'x' * 30} |",
        "|  |  | y |",
        "| b | good | y |",
    ]
    source = '{% from "macros.html.j2" import table with context %}{{ table(found) }}'
    html = environment().from_string(source).render(found=table)
    assert html.count('<span class="above">good</span>') == 1


def test_a_terminal_folds_what_it_cannot_break() -> None:
    shown = printed(drawn(fill("", NAMES, [("a", "good", "x" * 70)]), ""), width=40)
    assert shown.count("x") == 70
    assert max(map(len, shown.splitlines())) <= 40
