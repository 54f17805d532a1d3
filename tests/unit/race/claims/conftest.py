"""Two invented runs of one scenario, and the published runs, analysed once for all tests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from race.analysis.pairing import Run
from race.commands.claim import finder
from race.paths import PUBLISHED, RESULTS
from tests.support.synthetic import BASELINE, Recipe, write

FAST, BOUND = "sanic-tarantool-one", "japronto-tarantool-one"
ENGINES = (BASELINE, f"{BASELINE}-uvloop", FAST, f"{FAST}-uvloop", BOUND)
RECIPE = Recipe(engines=ENGINES, pages=("good", "ugly"), rounds=6, rates=(2000.0,))


@pytest.fixture(scope="session")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the runs "one" and "two"."""
    folder = tmp_path_factory.mktemp("results")
    for seed, name in enumerate(("one", "two")):
        write(folder / name, replace(RECIPE, name=name, seed=seed))
    return folder


@pytest.fixture(scope="session")
def find_run(results: Path) -> Callable[[str], Run]:
    """Return an invented run by name."""
    return finder(results, results)


@pytest.fixture(scope="session")
def one(find_run: Callable[[str], Run]) -> Run:
    return find_run("one")


@pytest.fixture(scope="session")
def published() -> Callable[[str], Run]:
    """Return a published run by name; each is analysed once for all documents."""
    return finder(PUBLISHED, RESULTS)
