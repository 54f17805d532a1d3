"""Each strategy does SQLAlchemy's whole workload, watched from the database."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from race.saved.model import Load, Work
from tests.live.toolbench.conftest import scenario, started
from toolbench.contenders import raced
from toolbench.drivers import DRIVERS
from toolbench.shared import Shared
from toolbench.sqlalchemy.workload import number
from toolbench.tool import Mapper

MIXED = scenario("postgres", operations=["mixed"])
STRATEGIES = [name for name, tool in DRIVERS.items() if isinstance(tool, Mapper)]


@pytest.mark.parametrize("name", STRATEGIES)
def test_a_strategy_does_the_whole_workload(prepared: Callable[[str], Shared], name: str) -> None:
    with started(prepared("postgres"), raced(MIXED, name)[0]) as one:
        one.check("mixed")
        sample = one.drive(Work("mixed", Load("runner", 8, duration_s=0.5, fixed=True)))
        assert (sample.count, sample.errors) == (number(0.5), {})
        most = max(moment.connections or 0 for moment in sample.timeline)
        if name == "sqlalchemy-sync":
            assert most == 1
        else:
            # A task for each operation may have as many connections as there are operations.
            assert 2 <= most <= (number(0.5) if name == "sqlalchemy-tasks" else 8)
        one.check("mixed")  # of the rows that the load left
