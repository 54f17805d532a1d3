"""The hand-written applications do the engines' work: same HTML, headers and requests.

With a limit of time an application makes the same pages by the same functions, so only its answer
after that time has a test of its own.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any, cast

import pytest

from data_interface.timeouts import TIMEOUTS
from race.plan.read import load
from race.web import requests
from race.web.databases import Databases as Held
from race.web.scenario import SiteScenario
from race.web.servers import Server
from tests.live.web.starting import answer_alike, environment, starting
from tests.support.site_client import get
from tests.support.site_server import Databases

__all__ = ["environment"]

SCENARIO = cast("SiteScenario", load("layers"))
LATE_SECONDS = 5.0  # longer than a page is given, for a machine with other work
# Engines, their programs, and the same with a limit of time.
ENGINES, PROGRAMS, LIMITED = (SCENARIO.contenders[first::3] for first in range(3))


@pytest.fixture
def start(environment: dict[str, str]) -> Iterator[Callable[[str], Server]]:
    """A function that starts a contender, which ends with the test."""
    with starting(SCENARIO, environment) as started:
        yield started


@pytest.mark.parametrize(("engine", "program"), list(zip(ENGINES, PROGRAMS, strict=True)))
def test_a_program_answers_as_its_engine(
    engine: str, program: str, start: Callable[[str], Server]
) -> None:
    answer_alike(start(engine), start(program))


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_asks_what_the_engine_asks(name: str, start: Any) -> None:
    found = requests.per_page(
        Held(), "tarantool", lambda env: start(name, dict(env)), SCENARIO.tasks
    )
    own = {page: figures[requests.REQUESTS] for page, figures in found.items()}
    assert own == {"index": 9, "good": 3, "ugly": 0}


@pytest.mark.parametrize("name", LIMITED)
def test_a_limited_program_waits_no_longer_than_the_site(
    name: str, start: Callable[[str], Server], databases: Databases
) -> None:
    program = start(name)
    with databases.frozen("tarantool"):
        began = time.monotonic()
        assert get(program.url, "/good").status == 503
        assert TIMEOUTS.page <= time.monotonic() - began < LATE_SECONDS
    assert get(program.url, "/good").status == 200
