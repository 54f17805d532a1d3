"""Databases that are prepared for the toolbench's operations, and drivers on them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

import pytest

from databases import find
from race.errors import CellFailed
from race.plan.read import from_json
from race.saved.model import Contender, Load, Work
from tests.conftest import absent
from tests.support.site_server import Databases
from toolbench.contenders import raced, unsupported
from toolbench.drivers import DRIVERS
from toolbench.operation import operations
from toolbench.scenario import ToolsScenario
from toolbench.shared import Shared, opened
from toolbench.subject import DriverSubject
from toolbench.tool import WORKLOAD, Mapper

SIZES = {"mysql": {"rows": 3000, "read": 2000, "pool_queries": 200, "batch": 500}}


def names(database: str) -> list[str]:
    """Return the drivers of a database that a runner drives, operation by operation."""
    return [
        name
        for name, tool in DRIVERS.items()
        if tool.database == database and tool.generator == "runner" and not isinstance(tool, Mapper)
    ]


def scenario(database: str, **more: object) -> ToolsScenario:
    """Return a race of all drivers of a database on all of its operations."""
    tasks = [
        name
        for name, one in operations().items()
        if one.database == database and one.kind != WORKLOAD
    ]
    least = {"name": "x", "title": "t", "discipline": "tools", "drivers": names(database)}
    sizes = SIZES.get(database, {})
    found = from_json({**least, "operations": tasks, "sizes": sizes, **more})
    assert isinstance(found, ToolsScenario)
    return found


def plainest(database: str) -> list[Contender]:
    """Return each driver of a database at its plainest levels."""
    return [one for name in names(database) for one in raced(scenario(database), name)]


@pytest.fixture(scope="module")  # a test of a race prepares them for itself
def prepared(databases: Databases) -> Iterator[Callable[[str], Shared]]:
    """Hold a private database of this run, prepared for all operations."""
    held: dict[str, Shared] = {}
    with pytest.MonkeyPatch.context() as patched, ExitStack() as stack:
        patched.setenv("VAR_DIR", databases.env()["VAR_DIR"])

        def prepare(database: str) -> Shared:
            if missing := find(database).missing():
                absent(missing)
            if database not in held:
                patched.delenv(find(database).url_variable, raising=False)
                context = opened(scenario(database), plainest(database))
                held[database] = stack.enter_context(context)
            return held[database]

        yield prepare


@contextmanager
def started(shared: Shared, contender: Contender) -> Iterator[DriverSubject]:
    """Start a driver for the length of a block; skip the test if it is not installed."""
    if problem := DRIVERS[contender.name].not_installed():
        absent(f"{contender.name}: {problem}")
    one = shared.start(contender)
    assert isinstance(one, DriverSubject)
    try:
        yield one
    finally:
        one.close()


def does_each(one: DriverSubject, all_of: ToolsScenario, load: bool = True) -> None:
    """Check every operation, before and after a load; what is unsupported must be refused."""
    cannot = unsupported(all_of, one.contender.name)
    for task in all_of.tasks:
        if task in cannot:
            with pytest.raises(CellFailed, match="it has nothing for"):
                one.check(task)
            continue
        one.check(task)
        # With two workers on a busy machine, these may last longer than a runner waits.
        if not load or task in ("orders-half", "orders-burst", "orders-insert"):
            continue
        rows = one.facts(task)["rows"]
        sample = one.drive(Work(task, Load("runner", 2, duration_s=0.1, fixed=True)))
        assert sample.failed == 0, sample.errors
        assert sample.count > 0
        one.check(task)
        assert rows == one.facts(task)["rows"]
