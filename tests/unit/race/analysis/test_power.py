"""Power and error rates of races like a saved one."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from msgspec.structs import replace as changed

from race.analysis import power as module
from race.analysis.power import Power, power
from race.cli import main
from race.saved.reader import SavedRace, load
from tests.support.synthetic import ARTICLE, Recipe, write

RECIPE = Recipe(engines=ARTICLE[1:6], pages=("good", "ugly"), depths=(), rounds=9, faults=False)


@pytest.fixture(scope="module", autouse=True)
def few_races() -> Iterator[None]:
    """Simulate fewer races than the command does."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "RACES", 300)
        yield


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("races") / "quiet", RECIPE)


@pytest.fixture(scope="module")
def race(folder: Path) -> SavedRace:
    return load(folder)


@pytest.fixture(scope="module")
def found(race: SavedRace) -> Power:
    return power(race)


def test_the_noise_that_was_put_in_is_found(found: Power) -> None:
    """Normal of 1.8 %, one cell in twenty 9 % slower: 0.027."""
    cell = math.hypot(0.018, 0.09 * math.sqrt(0.05 * 0.95))
    assert [one.work.task for one in found.scatter] == ["good", "ugly"]
    for one in found.scatter:
        assert one.round == pytest.approx(cell, rel=0.25)
    assert found.processes < 0.01
    assert (found.contenders, found.twin) == (5, True)


def test_what_the_means_took_from_few_rounds_is_given_back(tmp_path: Path) -> None:
    """Three contenders and four rounds leave 6 of 12 degrees of freedom."""
    pages = ("index", "good", "bad", "ugly", "about")
    recipe = replace(RECIPE, engines=ARTICLE[1:3], pages=pages, rounds=4, noise=0.08)
    spreads = [one.round for one in power(load(write(tmp_path / "few", recipe))).scatter]
    middle = math.sqrt(math.fsum(one**2 for one in spreads) / len(spreads))
    assert middle == pytest.approx(0.082, rel=0.2)


def test_more_rounds_and_larger_effects_are_found_more_often(found: Power) -> None:
    assert [one.rounds for one in found.outlooks] == [4, 6, 9, 12]
    assert found.outlooks[0].found == [[0.0, 0.0]] * 3
    for fewer, more in zip(found.outlooks[1:], found.outlooks[2:], strict=False):
        for less, most in zip(fewer.found, more.found, strict=True):
            assert all(a <= b for a, b in zip(less, most, strict=True))
    for one in found.outlooks[1:]:
        small, middle, large = (min(shares) for shares in one.found)
        assert small <= middle <= large
        assert middle > 0.95
    assert all(one.false_reports <= 0.05 for one in found.outlooks)


def test_a_noisier_race_finds_less(found: Power, tmp_path: Path) -> None:
    noisy = power(load(write(tmp_path / "noisy", replace(RECIPE, noise=0.08))), rounds=[6])
    assert noisy.scatter[0].round > 2 * found.scatter[0].round
    assert noisy.outlooks[0].found[0][0] < found.outlooks[1].found[0][0]


def test_processes_that_differ_in_the_saved_race_are_in_the_simulated_ones(
    race: SavedRace, found: Power
) -> None:
    """The twin is 6 % slower than its original."""
    cells = [
        changed(one, throughput=0.94 * (one.throughput or 0))
        if one.label.endswith("(A/A)")
        else one
        for one in race.cells
    ]
    odd = power(replace(race, cells=cells))
    assert odd.processes > found.processes + 0.01
    assert odd.outlooks[2].found[0][0] < found.outlooks[2].found[0][0]


def test_the_same_race_gives_the_same_figures(race: SavedRace, found: Power) -> None:
    assert power(race).as_json() == found.as_json()


def test_the_command_prints_tables_and_json(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["power", str(folder), "--rounds", "6", "--effect", "1.2", "1.4"]) == 0
    shown = capsys.readouterr().out
    headings = next(line for line in shown.splitlines() if "rounds" in line and "1.4×" in line)
    assert [one in headings for one in ("winner", "effect", "headline", "any")] == [True] * 4
    assert "1.4×" in shown
    assert main(["power", str(folder), "--rounds", "6", "--processes", "2"]) == 0
    assert "Processes of the same code differ by 2.0 %" in capsys.readouterr().out
    assert main(["power", str(folder), "--rounds", "6", "--effect", "1.2", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["effects"] == [1.2]
    (outlook,) = data["outlooks"]
    kinds = {"reports", "effects", "headlines", "claims"}
    others = {"rounds", "found", "coverage", "false_equals"}
    assert outlook.keys() == others | {f"false_{kind}" for kind in kinds}


def test_what_a_person_can_do_wrong_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    short = write(tmp_path / "short", replace(RECIPE, rounds=1))
    assert main(["power", str(short)]) != 0
    said = capsys.readouterr().err.strip()
    assert said.count("\n") == 0
    assert "two contenders with two complete rounds" in said
    for wrong in (
        ["--rounds", "0"],
        ["--rounds", "x"],
        ["--effect", "0.9"],
        ["--effect", "nan"],
        ["--processes", "x"],
    ):
        with pytest.raises(SystemExit):
            main(["power", str(short), *wrong])


def test_all_that_a_report_claims_is_simulated(race: SavedRace, found: Power) -> None:
    for one in (*found.outlooks, *power(race, rounds=[9], processes=0.05).outlooks):
        kinds = (one.false_reports, one.false_effects, one.false_headlines)
        assert max(kinds) <= one.false_claims <= math.fsum(kinds) + 1e-9
        assert one.false_headlines <= one.false_reports


def test_processes_may_keep_more_than_the_saved_race_shows(race: SavedRace) -> None:
    """Five pages and one twin are too few pairs to estimate that difference well."""
    (quiet,), (kept,) = (power(race, [9], processes=sd).outlooks for sd in (0.0, 0.05))
    assert kept.false_reports > quiet.false_reports
    assert kept.coverage < quiet.coverage
