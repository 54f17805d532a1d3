"""The engines that tests choose from, and the fixtures that start servers of them.

A test names its engines with `on` (a server shared by tests that leave it as it was) or `with_each`
(the test starts a server for itself). `others` are the engines that `tests/long` adds: a module
there imports the test from `tests/live`.
"""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from databases import DATABASES, find
from handlers import WEB
from handlers.engine import PLAIN_LOOP, Engine, every_engine, parse
from runtime.interpreters import executable
from tests.conftest import absent
from tests.support.site_server import (
    SERVER,
    START_SECONDS,
    Databases,
    SiteServer,
    environment,
    serving,
)


def pairwise(engines: Sequence[Engine]) -> list[str]:
    """Return few engines in which each two levels that go together meet, such as sanic and pool."""

    def pairs(engine: Engine) -> set[Any]:
        return set(itertools.combinations(engine.factors.items(), 2))

    missing = set().union(*map(pairs, engines))
    chosen = []
    while missing:
        best = max(engines, key=lambda engine: len(pairs(engine) & missing))
        chosen.append(best.name)
        missing -= pairs(best)
    return chosen


EMBEDDED = [name for name in DATABASES if find(name).embedded]
ENGINES = every_engine()
PAIRS = pairwise(ENGINES)
# Engines that ask a database server, one for each embedded database, and engines that ask none: the
# last show a framework by itself.
STORED = [name for name in PAIRS if parse(name).plugins[1].database not in (None, *EMBEDDED)]
ON_EMBEDDED = [
    next(engine.name for engine in ENGINES if engine.plugins[1].database == name)
    for name in EMBEDDED
]
BARE = [engine.name for engine in ENGINES if not engine.plugins[1].database]
ON_MEMORY = [name for name in BARE if parse(name).loop == PLAIN_LOOP]
# An engine on an interpreter, which has an older version of its framework.
OLD_SANIC = "sanic-memory-one@3.7"


def in_turn(factor: str) -> list[str]:
    """Return an engine with a database for each level of a factor; the other factors vary."""
    groups: dict[str, list[str]] = {}
    for name in STORED:
        groups.setdefault(parse(name).factors[factor], []).append(name)
    return [names[number % len(names)] for number, names in enumerate(groups.values())]


EACH_WEB = in_turn("web")
EACH_BACKEND = [*in_turn("backend"), *ON_EMBEDDED]


@pytest.fixture(scope="session")
def availability() -> dict[str, Any]:
    """The entries of `server.py --list`, by engine name."""
    command = [sys.executable, str(SERVER), "--list", "--json"]
    answer = subprocess.run(
        command, capture_output=True, check=True, timeout=START_SECONDS, env=environment()
    )
    return {entry["engine"]: entry for entry in json.loads(answer.stdout)["engines"]}


class Starter:
    """Checks that an engine runs on this machine, and keeps its database up."""

    def __init__(self, databases: Databases, availability: dict[str, Any]) -> None:
        self.databases = databases
        self._availability = availability

    def ready(self, name: str) -> Engine:
        """Return the engine; end the test where the engine cannot run on this machine."""
        reason = self._availability[name]["reason"]
        if reason:
            absent(f"{name}: {reason}")
        engine = parse(name)
        server = engine.plugins[1].database
        if server:
            self.databases.hold(server)
        return engine


@pytest.fixture(scope="session")
def starter(databases: Databases, availability: dict[str, Any]) -> Starter:
    """The starter of this process's servers."""
    return Starter(databases, availability)


@pytest.fixture(scope="session")
def site(request: pytest.FixtureRequest, starter: Starter) -> Iterator[SiteServer]:
    """A server of the engine that the test is parametrized with; tests share it."""
    name, _, python = request.param.partition("@")
    starter.ready(name)
    if python and not executable(python).exists():
        absent(f"no CPython {python}: run `make env`")
    options = ("--python", python) if python else ()
    with serving(name, starter.databases.env(), *options) as server:
        yield server


@pytest.fixture(scope="session")
def reference(starter: Starter) -> Iterator[SiteServer]:
    """The server whose pages all others must equal."""
    with serving(ON_MEMORY[0], starter.databases.env()) as server:
        yield server


@pytest.fixture(autouse=True)
def quiet(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fail a test whose client made the shared server write to its log."""
    server = request.getfixturevalue("site") if "site" in request.fixturenames else None
    yield
    if server is not None:
        assert server.news() == ""


def each(engines: Sequence[str], gap: str = "") -> list[Any]:
    """Return a test's parameters; a framework that has `gap` among its gaps must fail the test."""
    found = []
    for name in engines:
        web = parse(name.partition("@")[0]).web
        has_gap = gap and gap in WEB[web].gaps
        expected = pytest.mark.xfail(reason=f"{web} {gap}", strict=True)
        found.append(pytest.param(name, marks=[expected] if has_gap else [], id=name))
    return found


def on(engines: Sequence[str], gap: str = "", others: Sequence[str] = ()) -> pytest.MarkDecorator:
    """Run a test against the shared server of each of these engines."""
    return pytest.mark.engines("site", engines, gap, others)


def with_each(
    engines: Sequence[str], gap: str = "", others: Sequence[str] = ()
) -> pytest.MarkDecorator:
    """Run a test once for each of these engines; the test starts the servers."""
    return pytest.mark.engines("engine", engines, gap, others)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Parametrize a test by its marks: with `engines` in tests/live, with the others in long."""
    for mark in metafunc.definition.iter_markers("engines"):
        fixture, engines, gap, others = mark.args
        if others and "long" in metafunc.definition.path.parts:
            engines = [name for name in others if name not in engines]
        if fixture == "site":
            metafunc.parametrize("site", each(engines, gap), indirect=True, scope="session")
        else:
            metafunc.parametrize("engine", each(engines, gap))
