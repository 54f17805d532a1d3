"""The engines under test, on databases of this test run, one server at a time."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import pytest

from data_interface import BACKENDS
from handlers import LOOPS, WEB
from handlers.engine import PLAIN_LOOP, Engine, every_engine, parse
from tests.conftest import absent
from tests.support.site_server import (
    SERVER,
    START_SECONDS,
    Databases,
    SiteServer,
    environment,
    fleet,
    serving,
)

ENGINES = every_engine()


def rotated(turn: int = 0) -> list[str]:
    """Each web framework on each backend once; connection modes and loops take turns.

    Turns 0 and 2 together try every mode and every loop with every framework.
    """
    loops, found = list(LOOPS), []
    for row, web in enumerate(WEB):
        for column, (backend, plugin) in enumerate(BACKENDS.items()):
            step = row + column + turn
            connection = plugin.connections[step % len(plugin.connections)]
            loop = loops[(step // 2 + row) % len(loops)]
            engine = Engine(web, backend, connection, loop)
            found += [engine.name] if engine in ENGINES else []
    return found


def stored(names: Sequence[str]) -> list[str]:
    """Those that ask a database."""
    return [name for name in names if parse(name).plugins[1].database]


DEEP = rotated()
STORED = stored(DEEP)
OUTAGES = list(dict.fromkeys([*STORED, *stored(rotated(2))]))
# Where only the framework and the loop matter: without a database.
BARE = [engine.name for engine in ENGINES if not engine.plugins[1].database]
ON_MEMORY = [name for name in BARE if parse(name).loop == PLAIN_LOOP]


@pytest.fixture(scope="session")
def availability() -> dict[str, Any]:
    """Of every engine, what `--list` says of it."""
    command = [sys.executable, str(SERVER), "--list", "--json"]
    answer = subprocess.run(
        command, capture_output=True, check=True, timeout=START_SECONDS, env=environment()
    )
    return {entry["engine"]: entry for entry in json.loads(answer.stdout)["engines"]}


class Starter:
    """Says whether an engine runs here, and has its database ready."""

    def __init__(self, databases: Databases, availability: dict[str, Any]) -> None:
        self.databases = databases
        self._availability = availability

    def ready(self, name: str) -> Engine:
        """The engine; ends the test where it cannot run on this machine."""
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
    """Ready to start servers."""
    return Starter(databases, availability)


@pytest.fixture(scope="session")
def site(request: pytest.FixtureRequest, starter: Starter) -> Iterator[SiteServer]:
    """A server of the engine the test is parametrized with; shared by tests that leave it alive."""
    starter.ready(request.param)
    with serving(request.param, starter.databases.env()) as server:
        yield server


@pytest.fixture(scope="session")
def reference(starter: Starter) -> Iterator[SiteServer]:
    """The server whose pages all others must give."""
    with serving(ON_MEMORY[0], starter.databases.env()) as server:
        yield server


@pytest.fixture(autouse=True)
def quiet(request: pytest.FixtureRequest) -> Iterator[None]:
    """Nothing that a client does writes a line to the log."""
    server = request.getfixturevalue("site") if "site" in request.fixturenames else None
    yield
    if server is not None:
        assert server.news() == ""


@pytest.fixture(scope="module")
def group(request: pytest.FixtureRequest, starter: Starter) -> Iterator[dict[str, SiteServer]]:
    """All servers of one web framework on one backend, by engine name."""
    web, backend = request.param
    names = [e.name for e in ENGINES if (e.web, e.backend) == (web, backend)]
    for name in names:
        starter.ready(name)
    with fleet(names, starter.databases.env()) as servers:
        yield servers


def each(engines: Iterable[str], gap: str = "") -> list[Any]:
    """Parameters of a test.

    ``gap``: what of the contract the test is about; a framework that names it must fail.
    """
    found = []
    for engine in map(parse, engines):
        gone = gap and gap in WEB[engine.web].gaps
        expected = pytest.mark.xfail(reason=f"{engine.web} {gap}", strict=True)
        found.append(pytest.param(engine.name, marks=[expected] if gone else [], id=engine.name))
    return found


def on(engines: list[str], gap: str = "") -> pytest.MarkDecorator:
    """The test runs against a server of each of these engines."""
    return pytest.mark.parametrize("site", each(engines, gap), indirect=True, scope="session")


def with_each(engines: Iterable[str], gap: str = "") -> pytest.MarkDecorator:
    """The test starts a server of each of these engines for itself."""
    return pytest.mark.parametrize("engine", each(engines, gap))
