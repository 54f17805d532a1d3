"""The hand-written applications of `adapters` do the work of their engines."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import cast

import pytest

from databases import find
from handlers import ASGI, OWN, WEB
from race.plan.read import load
from race.web import requests
from race.web.databases import Databases as Held
from race.web.scenario import SiteScenario
from race.web.servers import Server
from tests.conftest import absent
from tests.live.web.starting import answer_alike, starting
from tests.support.site_server import Databases

SCENARIO = cast("SiteScenario", load("adapters"))
PAIRS = list(zip(SCENARIO.contenders[::2], SCENARIO.contenders[1::2], strict=True))


@pytest.fixture(scope="module", autouse=True)
def environment(databases: Databases) -> Iterator[dict[str, str]]:
    """The database of this test run, for servers and for the harness."""
    if missing := find("tarantool").missing():
        absent(missing)
    variables = {find("tarantool").url_variable: databases.hold("tarantool")}
    with pytest.MonkeyPatch.context() as patch:
        for name, value in variables.items():
            patch.setenv(name, value)
        yield variables


@pytest.fixture
def start(environment: dict[str, str]) -> Iterator[Callable[..., Server]]:
    """A function that starts a contender, which ends with the test."""
    with starting(SCENARIO, environment) as started:
        yield started


@pytest.mark.parametrize(("engine", "program"), PAIRS)
def test_a_program_answers_as_its_engine(
    engine: str, program: str, start: Callable[..., Server]
) -> None:
    answer_alike(start(engine), start(program))
    found = requests.per_page(
        Held(), "tarantool", lambda env: start(program, dict(env)), SCENARIO.tasks
    )
    assert {page: one[requests.REQUESTS] for page, one in found.items()} == {"good": 3, "ugly": 0}


def test_every_framework_has_its_application() -> None:
    raced = {engine.split("-")[0] for engine, _ in PAIRS}
    assert raced == {name for name, web in WEB.items() if web.interface in (OWN, ASGI)}
