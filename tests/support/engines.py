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
from handlers import OWN, WEB
from handlers.engine import (
    PLAIN_LOOP,
    Engine,
    every_engine,
    levels,
    parse,
    plain_server,
    runs_in,
    servers_of,
)
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
# A gap of `handlers`, or several.
Gap = str | tuple[str, ...]
ENGINES = every_engine()


def stands_for_others(engine: Engine) -> bool:
    """Return whether its server is its framework's own, or it is the plainest in loops or threads.

    A framework that another server serves meets the same stores in the same way, so one of them
    stands for all where what is tested is not the framework or the server.
    """
    interface = WEB[engine.web].interface
    others = [name for name, web in WEB.items() if web.interface != OWN]
    first = next(name for name in others if runs_in(name) == runs_in(engine.web))
    plain = engine.server == plain_server(engine.web)
    return interface == OWN or (plain and engine.web == first)


MAIN = [engine for engine in ENGINES if stands_for_others(engine)]
PAIRS = pairwise(MAIN)
# Engines that ask a database server, one for each embedded database, and engines that ask none: the
# last show a framework by itself.
STORED = [name for name in PAIRS if parse(name).plugins[1].database not in (None, *EMBEDDED)]
ON_EMBEDDED = [
    next(engine.name for engine in MAIN if engine.plugins[1].database == name) for name in EMBEDDED
]
BARE = [engine.name for engine in MAIN if not engine.plugins[1].database]
ON_MEMORY = [name for name in BARE if parse(name).loop == PLAIN_LOOP]
# Every framework on every server that serves it.
SERVED = [(web, server) for web in WEB for server in servers_of(web)]
PAIRED = [
    engine.name
    for engine in ENGINES
    if not engine.plugins[1].database and engine.loop == PLAIN_LOOP
]


def in_turn_on_memory() -> list[str]:
    """Return an engine for each framework, whose servers take turns so that each serves one."""
    turns = []
    for number, web in enumerate(web for web in WEB if WEB[web].interface != OWN):
        servers = servers_of(web)
        turns.append((web, servers[number % len(servers)]))
    chosen = {*turns, *((engine.web, engine.server) for engine in MAIN)}
    return [name for name in PAIRED if (parse(name).web, parse(name).server) in chosen]


ON_EACH_WEB = in_turn_on_memory()
# What parses HTTP is the server, or the framework that has one.
ON_EACH_SERVER = list({parse(name).server: name for name in reversed(ON_EACH_WEB)}.values())
ON_EACH_SERVER = [name for name in ON_EACH_WEB if name in {*ON_MEMORY, *ON_EACH_SERVER}]
# An engine on an interpreter, which has an older version of its framework.
OLD_SANIC = "sanic-memory-one@3.7"


def in_turn(factor: str) -> list[str]:
    """Return an engine with a database for each level of a factor; the other factors vary."""
    groups: dict[str, list[str]] = {level: [] for level in levels()[factor]}
    for name in STORED:
        groups[parse(name).factors[factor]].append(name)
    found = [names for names in groups.values() if names]
    return [names[number % len(names)] for number, names in enumerate(found)]


EACH_WEB = in_turn("web")
EACH_BACKEND = [*in_turn("backend"), *ON_EMBEDDED]


def served_and_stored() -> list[str]:
    """Return an engine with a database server for each pair of SERVED; the other factors vary."""
    found = []
    for number, pair in enumerate(SERVED):
        engines = [
            it
            for it in ENGINES
            if (it.web, it.server) == pair and it.plugins[1].database not in (None, *EMBEDDED)
        ]
        found.append(engines[number * 7 % len(engines)].name)
    return found


SERVED_AND_STORED = served_and_stored()


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


def each(engines: Sequence[str], gap: Gap = ()) -> list[Any]:
    """Return a test's parameters; an engine that has `gap`, or one of them, must fail the test."""
    found = []
    for name in engines:
        gaps = (gap,) if isinstance(gap, str) else gap
        has_gap = set(gaps) & set(parse(name.partition("@")[0]).gaps)
        expected = pytest.mark.xfail(reason=f"{name} {' '.join(has_gap)}", strict=True)
        found.append(pytest.param(name, marks=[expected] if has_gap else [], id=name))
    return found


def on(engines: Sequence[str], gap: Gap = (), others: Sequence[str] = ()) -> pytest.MarkDecorator:
    """Run a test against the shared server of each of these engines."""
    return pytest.mark.engines("site", engines, gap, others)


def with_each(
    engines: Sequence[str], gap: Gap = (), others: Sequence[str] = ()
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
