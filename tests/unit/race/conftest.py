"""Invented races, their analyses and pages, made once for all tests of this folder."""

from __future__ import annotations

import pytest

from race.analysis.analyse import analyse
from race.analysis.model import Analysis
from race.report import html
from race.saved.reader import SavedRace, load
from tests.support.synthetic import SMALL, Recipe, write


@pytest.fixture(scope="session")
def article(tmp_path_factory: pytest.TempPathFactory) -> SavedRace:
    return load(write(tmp_path_factory.mktemp("races") / "article"))


@pytest.fixture(scope="session")
def found(article: SavedRace) -> Analysis:
    """The race of the article, analysed."""
    return analyse(article)


@pytest.fixture(scope="session")
def article_page(found: Analysis) -> str:
    return html.page(found)


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> SavedRace:
    recipe = Recipe(engines=SMALL, pages=("index", "ugly"), rounds=6, rates=(2000.0, 4000.0))
    return load(write(tmp_path_factory.mktemp("races") / "small", recipe))


@pytest.fixture(scope="session")
def page(small: SavedRace) -> str:
    return html.page(analyse(small))
