"""The hand-written applications do the engines' work: same HTML, headers and requests.

With a limit of time an application makes the same pages by the same functions, so only its answer
after that time has a test of its own.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

import pytest

from data_interface.timeouts import TIMEOUTS
from databases import find
from race.plan.read import load
from race.saved.model import Contender
from race.web import engines, requests
from race.web.databases import Databases as Held
from race.web.scenario import SiteScenario
from race.web.servers import Launcher, Server
from tests.conftest import absent
from tests.support.html import SESSION, UGLY, masked
from tests.support.site_client import get
from tests.support.site_server import Databases

PAGES = ("/", "/good", UGLY)
OF_THE_MOMENT = {"date", "set-cookie"}
SCENARIO = cast("SiteScenario", load("layers"))
# An engine, its program, and the same with a limit of time.
TRIPLES = list(
    zip(
        SCENARIO.contenders[::3],
        SCENARIO.contenders[1::3],
        SCENARIO.contenders[2::3],
        strict=True,
    )
)
PAIRS = [(engine, program) for engine, program, _ in TRIPLES]
LATE_SECONDS = 5.0  # longer than a page is given, for a machine with other work


@dataclass
class Pair:
    """An engine and its program, both running."""

    engine: Server
    program: Server


@pytest.fixture(scope="module", autouse=True)
def database(databases: Databases) -> Iterator[dict[str, str]]:
    """The database of this test run, as a server's environment names it."""
    if missing := find("tarantool").missing():
        absent(missing)
    variables = {find("tarantool").url_variable: databases.hold("tarantool")}
    with pytest.MonkeyPatch.context() as patch:
        for name, value in variables.items():
            patch.setenv(name, value)
        yield variables


@pytest.fixture(scope="module")
def contenders() -> dict[str, Contender]:
    return {one.name: one for one in engines.choose(SCENARIO).contenders}


def started(contenders: dict[str, Contender], name: str, env: dict[str, str]) -> Server:
    if name not in contenders:
        absent(f"{name} cannot run here")
    return Launcher(SCENARIO).start(contenders[name], frozenset(), env)


@pytest.fixture(scope="module", params=PAIRS, ids=lambda pair: pair[1])
def pair(
    request: pytest.FixtureRequest, contenders: dict[str, Contender], database: dict[str, str]
) -> Iterator[Pair]:
    engine = started(contenders, request.param[0], database)
    try:
        program = started(contenders, request.param[1], database)
        try:
            yield Pair(engine, program)
        finally:
            program.child.end()
    finally:
        engine.child.end()


@pytest.mark.parametrize("path", PAGES)
def test_a_program_gives_the_engines_answer(pair: Pair, path: str) -> None:
    ours, theirs = (get(one.url, path) for one in (pair.engine, pair.program))
    assert (theirs.status, masked(theirs.text)) == (ours.status, masked(ours.text))
    assert ("set-cookie" in theirs.headers) == (path != UGLY)
    same = [
        {name: value for name, value in answer.headers.items() if name not in OF_THE_MOMENT}
        for answer in (ours, theirs)
    ]
    if path != UGLY:  # whose length is that of titles
        assert same[0].pop("content-length")
        assert same[1].pop("content-length")
    assert same[0] == same[1]


def test_a_program_knows_its_visitors(pair: Pair) -> None:
    for path in ("/", "/good"):
        match = SESSION.fullmatch(get(pair.program.url, path).headers["set-cookie"])
        assert match
        for server in (pair.program, pair.engine):
            again = get(server.url, path, Cookie=f"a=b; session={match[1]}")
            assert again.status == 200
            assert "set-cookie" not in again.headers


@pytest.mark.parametrize("name", [program for _, program in PAIRS])
def test_a_program_asks_what_the_engine_asks(
    name: str, contenders: dict[str, Contender], database: dict[str, str]
) -> None:
    found = requests.per_page(
        Held(),
        "tarantool",
        lambda env: started(contenders, name, dict(env)),
        SCENARIO.tasks,
    )
    own = {page: figures[requests.REQUESTS] for page, figures in found.items()}
    assert own == {"index": 9, "good": 3, "ugly": 0}


@pytest.mark.parametrize("name", [limited for _, _, limited in TRIPLES])
def test_a_limited_program_waits_no_longer_than_the_site(
    name: str,
    contenders: dict[str, Contender],
    database: dict[str, str],
    databases: Databases,
) -> None:
    program = started(contenders, name, database)
    try:
        with databases.frozen("tarantool"):
            began = time.monotonic()
            assert get(program.url, "/good").status == 503
            assert TIMEOUTS.page <= time.monotonic() - began < LATE_SECONDS
        assert get(program.url, "/good").status == 200
    finally:
        program.child.end()
