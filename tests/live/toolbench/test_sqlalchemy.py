"""Each strategy does SQLAlchemy's whole workload, watched from the database."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from race.saved.model import Contender, Load, Work
from tests.live.toolbench.conftest import scenario, started
from toolbench.contenders import raced
from toolbench.drivers import DRIVERS
from toolbench.shared import Shared
from toolbench.sqlalchemy.workload import number
from toolbench.tool import Mapper

MIXED = scenario("postgres", operations=["mixed"], program=["plain", "article"])
STRATEGIES = [
    one for name, tool in DRIVERS.items() if isinstance(tool, Mapper) for one in raced(MIXED, name)
]


@pytest.mark.parametrize("contender", STRATEGIES, ids=lambda one: one.label)
def test_a_strategy_does_the_whole_workload(
    prepared: Callable[[str], Shared], contender: Contender
) -> None:
    name = contender.name
    with started(prepared("postgres"), contender) as one:
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
