"""The hand-written applications of `adapters` do the work of their engines."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import cast

import pytest

from handlers import ASGI, OWN, WEB
from race.plan.read import load
from race.web import requests
from race.web.databases import Databases as Held
from race.web.scenario import SiteScenario
from race.web.servers import Server
from tests.live.web.starting import answer_alike, environment, starting

__all__ = ["environment"]

SCENARIO = cast("SiteScenario", load("adapters"))
PAIRS = list(zip(SCENARIO.contenders[::2], SCENARIO.contenders[1::2], strict=True))


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
