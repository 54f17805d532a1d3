"""Each operation on each driver at each of its levels, and each end of a runner."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import psycopg
import pytest

from race.saved.model import Contender
from tests.live.toolbench.conftest import does_each, names, prepared, scenario, started
from tests.live.toolbench.runners import LAST, NAMES, ends
from tests.support.site_server import Databases
from toolbench.contenders import raced
from toolbench.drivers import DRIVERS
from toolbench.shared import Shared

__all__ = ["prepared"]  # a fixture

LEVELS = {
    "loop": ["asyncio", "uvloop"],
    "statements": ["prepared", "unprepared"],
    "format": ["text", "binary"],
}
CONTENDERS = [
    one
    for database in ("postgres", "mysql", "tarantool")
    for name in names(database)
    for one in raced(scenario(database, **LEVELS), name)
]


@pytest.mark.parametrize("contender", CONTENDERS, ids=lambda one: one.label)
def test_each_operation_on_each_driver_at_each_level(
    prepared: Callable[[str], Shared], contender: Contender
) -> None:
    database = DRIVERS[contender.name].database
    with started(prepared(database), contender) as one:
        does_each(one, scenario(database), load=False)


@pytest.fixture
def reference(databases: Databases) -> Iterator[psycopg.Connection]:
    with psycopg.connect(databases.hold("postgres"), autocommit=True) as connection:
        yield connection


@pytest.mark.parametrize("last", LAST)
@pytest.mark.parametrize("name", NAMES)
def test_each_runner_ends_when_it_is_told_to(
    name: str, last: str, databases: Databases, reference: psycopg.Connection
) -> None:
    ends(name, last, databases, reference)
