"""The reports on Flask: the site's headings and requests, with each driver and connection."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import cast

import pytest

from databases import find
from locustfiles.pages import checks
from race.plan.read import load
from race.web import requests
from race.web.databases import Databases as Held
from race.web.pages import REPORTS, verify
from race.web.scenario import SiteScenario
from race.web.servers import Server
from tests.live.web.starting import starting
from tests.support.site_client import get
from tests.support.site_server import Databases

SCENARIO = cast("SiteScenario", load("pool-shape-flask"))
ASKED = [5, 5, 6, 7, 7]


@pytest.fixture(scope="module", autouse=True)
def environment(databases: Databases) -> Iterator[dict[str, str]]:
    """The database of this test run, with votes."""
    variables = {find("postgres").url_variable: databases.hold("postgres"), "SITE_HISTORY": "1"}
    with pytest.MonkeyPatch.context() as patch:
        for name, value in variables.items():
            patch.setenv(name, value)
        yield variables


@pytest.fixture
def start(environment: dict[str, str]) -> Iterator[Callable[..., Server]]:
    """A function that starts a program, which ends with the test."""
    with starting(SCENARIO, environment) as started:
        yield started


@pytest.mark.parametrize("name", SCENARIO.contenders)
def test_a_program_has_the_reports_and_their_requests(
    name: str, start: Callable[..., Server]
) -> None:
    server = start(name)
    for number, page in enumerate(REPORTS, start=1):
        verify(server.url, page)
        assert checks.report(number)(get(server.url, f"/{page}").text) is None
    assert get(server.url, "/reports/6").status == 404
    verify(server.url, "ugly")
    found = requests.per_page(
        Held(), "postgres", lambda env: start(name, {"SITE_HISTORY": "1", **env}), REPORTS
    )
    assert [found[page][requests.REQUESTS] for page in REPORTS] == ASKED
