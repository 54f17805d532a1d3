"""Workers: efficiency and knee of invented races, and the universal scalability law."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path

import msgspec
import numpy as np
import pytest

from race.analysis.analyse import analyse
from race.analysis.model import Analysis
from race.analysis.scaling import law
from race.analysis.scaling.curves import Scaling, crowded, own_name, scalings
from race.report import html, markdown
from race.report.tables import workers as tables
from race.saved.head import Environment
from race.saved.model import Cell
from race.saved.reader import load
from tests.support import records
from tests.unit.race.reading import section

ONE = 1000.0
"""Requests/s of one worker."""


@pytest.mark.parametrize(
    ("sigma", "kappa"), [(0.05, 0.002), (0.3, 0.0), (0.0, 0.01), (0.0, 0.0), (0.02, 0.0004)]
)
def test_the_law_is_recovered_from_what_follows_it(sigma: float, kappa: float) -> None:
    true = law.Law(sigma, kappa, 8)
    found = law.fit({n: true.speedup(n) for n in (1, 2, 3, 4, 6, 8)})
    assert found is not None
    assert (found.sigma, found.kappa) == pytest.approx((sigma, kappa), abs=1e-9)
    assert found.farthest == 16


def test_the_law_is_recovered_from_noisy_points() -> None:
    true, random = law.Law(0.06, 0.003, 16), np.random.default_rng(7)
    noisy = {n: true.speedup(n) * math.exp(random.normal(0, 0.01)) for n in range(1, 17)}
    found = law.fit({**noisy, 1: 1.0})
    assert found is not None
    assert found.sigma == pytest.approx(0.06, abs=0.01)
    assert found.kappa == pytest.approx(0.003, abs=0.0008)
    # sqrt((1 - 0.06) / 0.003) = 17.7 workers do most.
    assert found.peak == pytest.approx(17.7, abs=1.0)


def test_parameters_are_never_below_zero() -> None:
    better = law.fit({1: 1.0, 2: 2.2, 3: 3.5, 4: 4.9})  # more than so many times one
    assert better == law.Law(0.0, 0.0, 4)
    assert better.peak is None
    early = law.fit({1: 1.0, 2: 1.3, 4: 2.0, 8: 3.9})  # a loss that does not grow: kappa below zero
    assert early is not None
    assert (early.sigma > 0, early.kappa) == (True, 0.0)


@pytest.mark.parametrize("speedups", [{}, {1: 1.0, 2: 1.9}, {2: 1.9, 3: 2.8, 4: 3.7}])
def test_two_numbers_of_workers_or_none_of_one_are_too_few(speedups: Mapping[int, float]) -> None:
    assert law.fit(speedups) is None


@pytest.mark.parametrize(
    ("label", "name"),
    [
        ("aiohttp-tarantool-one, 1 worker", "aiohttp-tarantool-one"),
        (
            "aiohttp-tarantool-one@3.13, prepared, 12 workers",
            "aiohttp-tarantool-one@3.13, prepared",
        ),
        ("a, 2 workers, link 2 ms", "a, link 2 ms"),
        ("granian-workers=2", "granian"),
        ("2 workers", "2 workers"),
    ],
)
def test_a_name_without_the_number_of_workers(label: str, name: str) -> None:
    assert own_name(label) == name


def test_efficiency_knee_and_law_on_many_cores(tmp_path: Path) -> None:
    """Up to four workers each does 0.9 of one; a fifth adds nothing."""
    rates = {1: ONE, 2: 1.8 * ONE, 3: 2.7 * ONE, 4: 3.6 * ONE, 5: 3.6 * ONE}
    found = _only(_race(tmp_path, rates, cores=8))
    assert [point.crowded for point in found.points] == [False] * 5
    efficiency = [p.speedup.ratio / p.workers for p in found.points if p.speedup]
    assert efficiency == pytest.approx([1, 0.9, 0.9, 0.9, 0.72], rel=0.01)
    assert [point.faster for point in found.points] == [False, True, True, True, False]
    assert found.knee is not None
    assert (found.knee.workers, found.law and found.law.fitted_to) == (4, 5)


def test_shares_and_connections_are_of_the_workers_alone(tmp_path: Path) -> None:
    """The supervisor is the process with the least."""
    found = _only(_race(tmp_path, {1: ONE, 2: 1.9 * ONE}, cores=4))
    assert found.points[1].shares == pytest.approx([0.6, 0.4])
    assert list(found.points[1].connections) == [48, 16]


def test_a_server_on_another_machine_has_all_of_its_cores(tmp_path: Path) -> None:
    head = _race(tmp_path, {1: ONE, 2: 1.9 * ONE}, cores=1).race.head
    machine = records.MACHINE
    there = Environment(cores=1, machines={"server": msgspec.structs.replace(machine, cores=2)})
    far = msgspec.structs.replace(head, environment=there)
    assert far.tested_machine.cores == 2
    assert [crowded(far, workers) for workers in (1, 2, 3)] == [False, False, True]


def test_two_cores_tell_nothing_of_two_workers(tmp_path: Path) -> None:
    analysis = _race(tmp_path, {1: ONE, 2: 1.01 * ONE}, cores=2)
    found = _only(analysis)
    assert [point.crowded for point in found.points] == [False, True]
    assert (tables.knee(found), found.law) == ("cannot be told: 2 workers share cores", None)
    page = section(html.page(analysis), "workers")
    assert "2 cores cannot show what 2 workers alone can do" in page
    assert "projection is no measurement" not in page


def test_a_saturated_database_hides_the_knee(tmp_path: Path) -> None:
    rates = {1: ONE, 2: 1.9 * ONE, 3: 2.8 * ONE, 4: 2.8 * ONE}
    analysis = _race(tmp_path, rates, cores=8, database=4)
    found = _only(analysis)
    text = tables.knee(found)
    assert text == "cannot be told: with 4 workers, the database was saturated"
    assert found.law is not None
    assert (found.law.fitted_to, found.law.farthest) == (3, 6)
    text = markdown.page(analysis)
    assert "| 4 | ≥ 2,796 | ≥ 2.796× [2.699, 2.895] | ≥ 0.699 [0.674, 0.724] | database |" in text
    page = section(html.page(analysis), "workers")
    assert "6 workers; 3 points leave nothing to check it by" in page
    assert "≥ " in page


def test_a_lower_bound_of_one_worker_is_no_measure_of_more(tmp_path: Path) -> None:
    analysis = _race(tmp_path, {1: ONE, 2: 1.9 * ONE}, cores=8, database=1)
    found = _only(analysis)
    assert [point.speedup for point in found.points] == [None, None]
    assert tables.knee(found) == "cannot be told: with 1 worker, the database was saturated"
    assert "Speed-up by the number" not in html.page(analysis)


def test_a_race_of_one_worker_has_no_chapter(tmp_path: Path) -> None:
    assert 'id="workers"' not in html.page(_race(tmp_path, {1: ONE}, cores=8))


def _only(analysis: Analysis) -> Scaling:
    (found,) = scalings(analysis, analysis.comparisons[0])
    return found


def _race(
    folder: Path, rates: Mapping[int, float], cores: int, database: int | None = None
) -> Analysis:
    """Return a race of an engine; with `database` workers, that was saturated."""
    contenders = [
        records.contender(_label(n), factors={"web": "aiohttp", "workers": str(n)}) for n in rates
    ]
    twin = records.contender(f"{_label(1)} (A/A)", aa=True, factors=contenders[0].factors)
    twin = records.contender(twin.label, aa=True, factors=twin.factors, name=_label(1))
    site = msgspec.structs.replace(records.SITE, factors={**records.SITE.factors, "workers": []})
    head = records.head(
        *contenders,
        twin,
        discipline=site,
        baseline=_label(1),
        environment=Environment(cores=cores),
    )
    cells = [
        _cell(n, label, number, place, rate, "database" if n == database else "server")
        for number in range(1, 13)
        for place, (n, label, rate) in enumerate(
            [(n, _label(n), rate) for n, rate in rates.items()] + [(1, twin.label, rates[1])]
        )
    ]
    return analyse(load(records.write(folder / "race", head, cells)))


def _label(workers: int) -> str:
    return f"aiohttp-tarantool-one, {workers} worker{'s' * (workers > 1)}"


def _cell(workers: int, label: str, number: int, place: int, rate: float, saturated: str) -> Cell:
    rate *= math.exp(0.004 * math.sin(7 * number + 3 * place))
    several = {"1": 48.0, "2": 16.0, "3": 0.0} if workers == 2 else {}
    spent = {"1": 6e8, "2": 4e8, "3": 1e6} if workers == 2 else {}
    return records.cell(
        label,
        round=number,
        order=place,
        status="ok",
        reason=None,
        saturated=saturated,
        count=round(rate),
        seconds=1.0,
        throughput=rate,
        meters={"process_ns": spent, "process_connections": several},
    )
