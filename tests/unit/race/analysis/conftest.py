"""Invented races, analysed, and their parts."""

from __future__ import annotations

import pytest

from race.analysis.analyse import analyse
from race.analysis.model import Analysis, Comparison, ContenderResult
from race.saved.reader import SavedRace, load
from tests.support.synthetic import SMALL, Recipe, write


@pytest.fixture(scope="session")
def article(tmp_path_factory: pytest.TempPathFactory) -> SavedRace:
    return load(write(tmp_path_factory.mktemp("races") / "article"))


@pytest.fixture(scope="session")
def found(article: SavedRace) -> Analysis:
    return analyse(article)


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> SavedRace:
    recipe = Recipe(engines=SMALL, pages=("index", "ugly"), rounds=6, rates=(2000.0, 4000.0))
    return load(write(tmp_path_factory.mktemp("races") / "small", recipe))


def comparison_of(analysis: Analysis, page: str, pipeline: int = 1) -> Comparison:
    return next(
        comparison
        for comparison in analysis.comparisons
        if (comparison.work.task, comparison.work.load.pipeline) == (page, pipeline)
    )


def results_of(comparison: Comparison) -> dict[str, ContenderResult]:
    return {item.label: item for item in comparison.results}
