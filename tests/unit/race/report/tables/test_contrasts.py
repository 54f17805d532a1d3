"""Which levels of a factor are set against each other."""

from __future__ import annotations

from pathlib import Path

import pytest

from race.analysis.analyse import analyse
from race.report.tables import more
from race.saved.reader import load
from tests.support.synthetic import BASELINE, Recipe, write


def test_of_many_levels_only_those_against_the_baseline_s_are_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engines = (BASELINE, "aiohttp-tarantool-multi", "aiohttp-tarantool-query")
    recipe = Recipe(engines=engines, pages=("good",), depths=(), faults=False)
    analysis = analyse(load(write(tmp_path / "race", recipe)))

    def shown() -> set[tuple[str, ...]]:
        return {(one.level, one.reference) for [(_, one)] in more.contrasts(analysis)}

    against = {("multi", "one"), ("query", "one")}
    assert shown() == {*against, ("query", "multi")}
    monkeypatch.setattr(more, "MOST_LEVELS", 2)
    assert shown() == against
