"""Rates and times under fixed loads: figures, geometric means, the chapter."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace as changed
from numpy.typing import NDArray

from race.analysis.analyse import analyse
from race.analysis.distributions import PERCENTILES, drawn, means, timed
from race.report import format as words
from race.report import html, markdown
from race.saved.model import Cell
from race.saved.reader import SavedRace
from race.stats.moments import Moments, pooled
from tests.support import records
from tests.unit.race.reading import section, tables

ROWS = {"wide": 300, "ints": 1000, "ping": 1}
# Microseconds of one operation when it is alone.
TIMES = {
    "quick": {"wide": 500.0, "ints": 100.0, "ping": 50.0},
    "slow": {"wide": 1000.0, "ints": 800.0, "ping": 50.0},
    "odd": {"wide": 700.0, "ping": 50.0},
}
COUNT = 1000
MOMENTS = ["min µs", "mean µs", "max µs", "deviation µs", "CV"]


def made(label: str, task: str, connections: int, number: int) -> Cell:
    """Its work is done one after the other, whoever waits for it."""
    alone = TIMES[label][task] * (1 + 0.01 * number)
    mean = alone * connections
    return records.driven(
        label,
        task,
        connections,
        COUNT,
        COUNT * alone / 1e6,
        round=number,
        latency_us={"min": mean / 2, "mean": mean, "max": 8 * mean, "deviation": mean / 4},
        histogram=[(mean / 2, 100), (mean, 700), (1.5 * mean, 199), (8 * mean, 1)],
        meters={"cpu_ns": {"driver": round(COUNT * alone * 900)}},
        facts={"rows": ROWS[task]},
    )


@pytest.fixture(scope="module")
def race() -> SavedRace:
    cells = [
        made(label, task, connections, number)
        for number in range(1, 8)
        for label, tasks in TIMES.items()
        for task in tasks
        for connections in (1, 10)
    ]
    contenders = [
        records.contender(label, factors={"driver": label, "loop": "asyncio"})
        for label in ("quick", "odd", "slow")
    ]
    scenario = {"name": "toolbench", "title": "Drivers", "geometric_mean": ["wide", "ints"]}
    head = records.head(
        *contenders, discipline=records.TOOLS, scenario=scenario, finished_at=records.NOW
    )
    return SavedRace(Path("r"), head, cells, [])


def figures(numbers: NDArray[np.float64]) -> Moments:
    spread = float(np.min(numbers)), float(np.mean(numbers)), float(np.max(numbers))
    return Moments(len(numbers), *spread, float(np.std(numbers)))


def test_moments_of_parts_are_those_of_all_together() -> None:
    random = np.random.default_rng(1)
    parts = [random.lognormal(3 + place / 5, 0.5, 50 + 10 * place) for place in range(4)]
    found = pooled(map(figures, parts))
    every = figures(np.concatenate(parts))
    assert found is not None
    assert found == pytest.approx(every)
    assert found.variation == pytest.approx(every.deviation / every.mean)
    assert pooled([]) is None
    assert pooled([Moments(0, 0, 0, 0, 0)]) is None
    assert Moments(1, 0, 0, 0, 0).variation == 0


def test_times_are_of_all_cells_together(race: SavedRace) -> None:
    analysis = analyse(race)
    wide = next(
        comparison
        for comparison in analysis.comparisons
        if (comparison.work.task, comparison.work.load.connections) == ("wide", 10)
    )
    found = {one.item.label: one for one in timed(analysis, wide)}
    quick = found["quick"]
    assert set(found) == {"quick", "slow", "odd"}
    assert quick.moments is not None
    assert quick.moments.number == 7 * COUNT
    assert quick.moments.mean == pytest.approx(5000 * 1.04)
    assert quick.moments.least == pytest.approx(2500 * 1.01)
    assert quick.moments.most == pytest.approx(40000 * 1.07)
    assert quick.percentiles[50.0] == pytest.approx(5000 * 1.04)
    assert quick.percentiles[99.9] == pytest.approx(7500 * 1.07)  # beyond are seven, one of a cell
    assert 99.99 not in quick.percentiles  # of 7,000 units, that would be the longest
    rate = 1e6 / 500 / 1.04
    assert quick.rows_per_second == pytest.approx(300 * rate)
    assert quick.cpu_us_per_row("driver") == pytest.approx(500 * 1.04 * 0.9 / 300, rel=1e-3)
    assert quick.cpu_us_per_row("database") is None


def test_a_generator_that_tells_no_moments_and_a_task_without_rows(race: SavedRace) -> None:
    cells = [changed(one, latency_us={"mean": 1.0}, facts={}) for one in race.cells]
    analysis = analyse(replace(race, cells=cells))
    for one in timed(analysis, analysis.comparisons[0]):
        assert (one.moments, one.rows, one.rows_per_second) == (None, None, None)
        assert one.cpu_us_per_row("driver") is None
    assert "deviation µs" not in section(html.page(analysis), "distributions")


def test_a_geometric_mean_is_of_those_who_did_everything(race: SavedRace) -> None:
    """Twice as fast on one task and eight times on the other: four times."""
    analysis = analyse(race)
    found = means(analysis, ["wide", "ints"])
    assert [one.load.connections for one in found] == [1, 10]
    for one in found:
        assert one.reference == "slow"
        assert [mean.item.label for mean in one.rows] == ["quick", "slow"]
        quick, slow = one.rows
        assert slow.ratio is None
        assert quick.ratio is not None
        assert quick.ratio.ratio == pytest.approx(4)
        assert quick.throughput.median == pytest.approx(1e6 / (500 * 100) ** 0.5 / 1.04)
        assert quick.rows_per_second == pytest.approx(quick.throughput.median * (300 * 1000) ** 0.5)
        time = one.load.connections * (500 * 100) ** 0.5 * 1.04
        assert quick.percentiles[50.0] == pytest.approx(time)
        assert quick.moments is not None
        assert (quick.moments.mean, quick.moments.variation) == pytest.approx(
            (time, 0.25), rel=0.01
        )
        assert drawn(quick)[100.0] == quick.moments.most
    assert means(analysis, []) == []
    assert means(analysis, ["wide", "nothing"]) == []


def test_the_chapter_has_tables_and_both_charts_of_each(race: SavedRace) -> None:
    text = section(html.page(analyse(race)), "distributions")
    for load in (1, 10):
        for title in ("Geometric mean", "Wide rows", "Integers", "Ping"):
            assert f"<h3>{title}, {load} at once</h3>" in text
    for part in ("Over Wide rows, Integers", "1 (reference)", "p99.9 µs</th>", "CPU µs/row"):
        assert part in text, part
    # Ping has one row.
    for title, charts in (("Rows per second", 3), ("Operations per second", 1), ("Latency", 4)):
        assert text.count(f"<b>{title}</b>") == 2 * charts


def test_markdown_has_the_means_and_what_a_row_costs_and_how_times_spread(race: SavedRace) -> None:
    analysis = analyse(race)
    found = tables(markdown.page(analysis))
    (mean,) = found["Geometric mean, 10 at once"]
    quick, slow = means(analysis, ["wide", "ints"])[1].rows
    rows = ["rows/s", "CPU µs/row"]
    heads = ["driver", "operations/s", "ratio [95 %]", *rows, *MOMENTS]
    assert mean[0][:10] == heads
    assert [mean[1][0], mean[2][:3]] == ["quick", ["slow", "1,075", "1 (reference)"]]
    for one, shown in ((quick, mean[1]), (slow, mean[2])):
        assert one.moments is not None
        figures = (one.rows_per_second, one.cpu_us_per_row, *one.moments[1:])
        assert shown[3:9] == [words.number(figure) for figure in figures]
        named = dict(zip(mean[0], shown, strict=True))
        assert named["p99 µs"] == words.number(one.percentiles[99.0])
    ranking, more = found["Wide rows, 10 at once"]
    assert [row[1] for row in ranking] == [row[0] for row in more]
    assert more[0][:9] == ["driver", *rows, "of the best", *MOMENTS]
    quickly = dict(zip(more[0], more[1], strict=True))
    assert [quickly[name] for name in (*rows, "max µs")] == ["576,923", "1.56", "42,800"]
    assert [row[3] for row in more[1:]] == ["1.00×", "0.71×", "0.50×"]
    works = {(one.work.task, one.work.load.connections): one for one in analysis.comparisons}
    times = timed(analysis, works["wide", 10])[0].percentiles
    for percent in PERCENTILES:
        assert quickly.get(f"p{percent:g} µs", words.NONE) == words.number(times.get(percent))


def test_markdown_leaves_out_columns_without_a_figure(race: SavedRace) -> None:
    """The only row of an operation costs as much as the operation; untimed ones are not shown."""
    ping = tables(markdown.page(analyse(race)))["Ping, 1 at once"][1]
    assert ping[0][:7] == ["driver", "of the best", *MOMENTS]
    assert not {"rows/s", "CPU µs/row"} & {*ping[0]}
    cells = [changed(one, latency_us={}, histogram=[], facts={}) for one in race.cells]
    silent = markdown.page(analyse(replace(race, cells=cells)))
    assert len(tables(silent)["Wide rows, 1 at once"]) == 1
    assert "p50" not in silent
    some = [changed(one, histogram=[]) if one.label == "quick" else one for one in race.cells]
    more = tables(markdown.page(analyse(replace(race, cells=some))))["Ping, 1 at once"][1]
    assert more[0] == ping[0]
    assert {row[0] for row in more if row[more[0].index("p50 µs")] == "–"} == {"quick"}
