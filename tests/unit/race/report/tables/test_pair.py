"""Two contenders side by side: each ratio, and what it says in words."""

from __future__ import annotations

from pathlib import Path

from race.analysis.analyse import analyse
from race.report.table import ReportTable
from race.report.tables.pair import pair
from race.saved.reader import load
from tests.support.synthetic import BASELINE, Recipe, write

OTHER = "sanic-tarantool-one"


def table(folder: Path, *engines: str) -> ReportTable | None:
    recipe = Recipe(
        engines=engines, pages=("good", "ugly"), depths=(), rates=(5000,), rounds=24, faults=False
    )
    return pair(analyse(load(write(folder / "race", recipe))))


def test_a_faster_one_costs_less_and_answers_sooner(tmp_path: Path) -> None:
    found = table(tmp_path, BASELINE, OTHER)
    assert found
    assert found.title == f"{OTHER} against {BASELINE}"
    good, ugly = found.texts()
    place, rate, cpu, p99, said = good
    assert (place, said) == ("Good", "faster, p99 shorter")
    assert float(rate.partition("×")[0]) > 1 > float(cpu.partition("×")[0])
    assert float(p99.partition("×")[0]) < 1
    assert ugly[3:] == ["–", "faster"]


def test_more_or_fewer_than_two_have_no_such_table(tmp_path: Path) -> None:
    assert table(tmp_path / "one", BASELINE) is None
    assert table(tmp_path / "three", BASELINE, OTHER, "japronto-tarantool-one") is None
