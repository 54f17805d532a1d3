"""The hand-written applications of `adapters` and `adapters-wsgi` do the work of their engines."""

from __future__ import annotations

import time
from typing import cast

import psycopg
import pytest

from data_interface.postgres.upkeep import SCHEMA
from data_interface.timeouts import TIMEOUTS
from databases import find
from handlers import WEB
from race.plan.read import load
from race.web import requests
from race.web.databases import Databases as Held
from race.web.scenario import SiteScenario
from tests.conftest import absent
from tests.live.web.starting import answer_alike, starting
from tests.support.site_client import get
from tests.support.site_server import Databases

SCENARIOS = {
    "tarantool": cast("SiteScenario", load("adapters")),
    "postgres": cast("SiteScenario", load("adapters-wsgi")),
}
PAIRS = [
    (database, *pair)
    for database, scenario in SCENARIOS.items()
    for pair in zip(scenario.contenders[::2], scenario.contenders[1::2], strict=True)
]


@pytest.fixture
def environment(
    database: str, databases: Databases, monkeypatch: pytest.MonkeyPatch
) -> dict[str, str]:
    """The database of this test run, for servers and for the harness."""
    if missing := find(database).missing():
        absent(missing)
    variables = {find(database).url_variable: databases.hold(database)}
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    return variables


@pytest.mark.parametrize(("database", "engine", "program"), PAIRS)
def test_a_program_answers_as_its_engine(
    database: str, engine: str, program: str, environment: dict[str, str]
) -> None:
    scenario = SCENARIOS[database]
    with starting(scenario, environment) as start:
        answer_alike(start(engine), start(program))
        found = requests.per_page(
            Held(), database, lambda env: start(program, dict(env)), scenario.tasks
        )
    assert {page: one[requests.REQUESTS] for page, one in found.items()} == {"good": 3, "ugly": 0}


def test_every_framework_has_its_application() -> None:
    assert {engine.split("-")[0] for _, engine, _ in PAIRS} == set(WEB)


@pytest.mark.parametrize("database", ["postgres"])
def test_a_page_on_wsgi_has_a_limit_of_time(database: str, environment: dict[str, str]) -> None:
    with starting(SCENARIOS[database], environment) as start:
        program = start("plain-wsgi")
        url = environment[find(database).url_variable]
        with psycopg.connect(url, options=f"-c search_path={SCHEMA}") as other:
            other.execute("LOCK TABLE sessions")
            began = time.monotonic()
            assert get(program.url, "/good").status == 503
            assert time.monotonic() - began >= TIMEOUTS.page
        assert get(program.url, "/good").status == 200
