"""Starts the programs of a scenario, as a race does, and compares their answers."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping

import pytest

from databases import find
from race.web import engines
from race.web.scenario import SiteScenario
from race.web.servers import Launcher, Server
from tests.conftest import absent
from tests.support.html import SESSION, UGLY, masked
from tests.support.site_client import get
from tests.support.site_server import Databases

PAGES = ("/", "/good", UGLY)
OF_THE_MOMENT = {"date", "set-cookie"}


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


@contextlib.contextmanager
def starting(
    scenario: SiteScenario, environment: Mapping[str, str]
) -> Iterator[Callable[..., Server]]:
    """Give a function that starts a contender by name; all that it started end with the block."""
    known = {one.name: one for one in engines.choose(scenario).contenders}
    with contextlib.ExitStack() as stack:

        def started(name: str, env: Mapping[str, str] = environment) -> Server:
            if name not in known:
                absent(f"{name} cannot run here")
            server = Launcher(scenario).start(known[name], frozenset(), env)
            stack.callback(server.child.end)
            return server

        yield started


def answer_alike(engine: Server, program: Server) -> None:
    """Assert that a program answers the pages as its engine does."""
    servers = engine, program
    for path in PAGES:
        ours, theirs = (get(one.url, path) for one in servers)
        assert (theirs.status, masked(theirs.text)) == (ours.status, masked(ours.text))
        same = [
            {name: value for name, value in answer.headers.items() if name not in OF_THE_MOMENT}
            for answer in (ours, theirs)
        ]
        if path == UGLY:
            assert "set-cookie" not in theirs.headers
        else:
            # Titles are not equally long.
            assert same[0].pop("content-length")
            assert same[1].pop("content-length")
            session = SESSION.fullmatch(theirs.headers["set-cookie"])
            assert session
            for server in servers:
                again = get(server.url, path, Cookie=f"a=b; session={session[1]}")
                assert again.status == 200
                assert "set-cookie" not in again.headers
        assert same[0] == same[1]
