"""The engines under test, on databases of this test run, one server at a time."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from handlers.engine import Engine, every_engine, parse
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

ARTICLE = """
aiohttp-tarantool-multi aiohttp-tarantool-one aiohttp-tarantool-one-uvloop aiohttp-postgres-pool
aiohttp-postgres-pool-uvloop sanic-tarantool-one sanic-tarantool-one-uvloop japronto-tarantool-one
japronto-tarantool-one-uvloop
""".split()
ENGINES = every_engine()
CORNERS = [engine.name for engine in ENGINES if engine.connection == "one" and not engine.uvloop]
DEEP = list(dict.fromkeys([*CORNERS, *ARTICLE]))
STORED = [name for name in CORNERS if parse(name).plugins[1].database]
ON_MEMORY = [name for name in CORNERS if parse(name).backend == "memory"]


@pytest.fixture(scope="session")
def databases(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Databases]:
    """This run's databases."""
    found = Databases(tmp_path_factory.mktemp("var"))
    try:
        yield found
    finally:
        found.release()


@pytest.fixture(scope="session")
def survey() -> dict[str, Any]:
    """Of every engine, what `--list` says of it."""
    command = [sys.executable, str(SERVER), "--list", "--json"]
    answer = subprocess.run(
        command, capture_output=True, check=True, timeout=START_SECONDS, env=environment()
    )
    return {entry["engine"]: entry for entry in json.loads(answer.stdout)}


class Starter:
    """Says whether an engine runs here, and has its database ready."""

    def __init__(self, databases: Databases, survey: dict[str, Any]) -> None:
        self.databases = databases
        self._survey = survey

    def ready(self, name: str) -> Engine:
        """The engine; ends the test where it cannot run on this machine."""
        reason = self._survey[name]["reason"]
        if reason:
            absent(f"{name}: {reason}")
        engine = parse(name)
        server = engine.plugins[1].database
        if server:
            self.databases.hold(server)
        return engine


@pytest.fixture(scope="session")
def starter(databases: Databases, survey: dict[str, Any]) -> Starter:
    """Ready to start servers."""
    return Starter(databases, survey)


@pytest.fixture(scope="session")
def site(request: pytest.FixtureRequest, starter: Starter) -> Iterator[SiteServer]:
    """A server of the engine the test is parametrized with; shared by tests that leave it alive."""
    starter.ready(request.param)
    with serving(request.param, starter.databases.env()) as server:
        yield server


@pytest.fixture(scope="session")
def reference(starter: Starter) -> Iterator[SiteServer]:
    """The server whose pages all others must give."""
    with serving("aiohttp-memory-one", starter.databases.env()) as server:
        yield server


@pytest.fixture(scope="module")
def group(request: pytest.FixtureRequest, starter: Starter) -> Iterator[dict[str, SiteServer]]:
    """All servers of one web framework on one backend, by engine name."""
    web, backend = request.param
    names = [e.name for e in ENGINES if (e.web, e.backend) == (web, backend)]
    for name in names:
        starter.ready(name)
    with fleet(names, starter.databases.env()) as servers:
        yield servers


def on(engines: list[str]) -> pytest.MarkDecorator:
    """The test runs against a server of each of these engines."""
    return pytest.mark.parametrize("site", engines, indirect=True, scope="session")
