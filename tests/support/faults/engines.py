"""The engines that faults are made to, and servers of them."""

from __future__ import annotations

import contextlib
import functools
import json
import subprocess
import sys
from collections.abc import Iterator

from data_interface import BACKENDS
from databases import DATABASES, find
from handlers.engine import PLAIN_LOOP, parse
from tests.conftest import absent
from tests.support.engines import MAIN
from tests.support.site_server import SERVER, Databases, SiteServer, environment, serving


def on_first_database() -> list[str]:
    """Return an engine of each web framework, on its first backend that asks a database."""
    found: dict[str, str] = {}
    for one in MAIN:
        if one.plugins[1].database:
            found.setdefault(one.web, one.name)
    return list(found.values())


def on_each_backend() -> list[str]:
    """Return an engine for each backend on a database server; frameworks and modes take turns."""
    found, webs = [], list(dict.fromkeys(one.web for one in MAIN))
    names = {name for name in DATABASES if not find(name).embedded}
    plain = [one for one in MAIN if one.loop == PLAIN_LOOP]
    stored = [one for one in plain if one.plugins[1].database in names]
    for turn, backend in enumerate(BACKENDS):
        for web in [*webs[turn % len(webs) :], *webs]:
            fits = [one.name for one in stored if (one.web, one.backend) == (web, backend)]
            if fits:
                found.append(fits[turn % len(fits)])
                break
    return found


def on_each_database() -> list[str]:
    """Return one engine for each database."""
    found: dict[str | None, str] = {}
    for name in on_each_backend():
        found.setdefault(database_of(name), name)
    return list(found.values())


def database_of(engine: str) -> str:
    """Return the name of the database that an engine asks."""
    database = parse(engine).plugins[1].database
    assert database
    return database


@functools.cache
def _reasons() -> dict[str, str]:
    """Return why an engine cannot run on this machine, by its name; empty where it can."""
    command = [sys.executable, str(SERVER), "--list", "--json"]
    answer = subprocess.run(command, capture_output=True, check=True, timeout=60, env=environment())
    return {one["engine"]: one["reason"] for one in json.loads(answer.stdout)["engines"]}


@contextlib.contextmanager
def server_of(
    engine: str, databases: Databases, *options: str, **variables: str
) -> Iterator[SiteServer]:
    """Start a server, and its database before it; skip the test where it cannot run here."""
    if reason := _reasons()[engine]:
        absent(f"{engine}: {reason}")
    if database := parse(engine).plugins[1].database:
        databases.hold(database)
    with serving(engine, databases.env(**variables), *options) as server:
        yield server
