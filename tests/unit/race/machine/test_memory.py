"""Memory is read as often as it costs little."""

from __future__ import annotations

import time

import pytest

from race.discipline import Party, Sample
from race.machine.meters import memory

COST = {1: 0.001, 2: 0.15}
"""The seconds that the reading of a process tree takes."""


def test_a_tree_that_takes_long_is_read_less_often(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, asked = [0.0], {1: 0, 2: 0}

    def read_tree(what: str, party: Party) -> int:
        assert party.pid is not None
        clock[0] += COST[party.pid]
        asked[party.pid] += 1
        return 1000 * asked[party.pid]

    monkeypatch.setattr(memory, "read_tree", read_tree)
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    meter, parties = memory.Memory(), {"server": Party(1), "database": Party(2)}
    for cell in range(10):
        found = meter.between(parties, meter.read(parties), Sample(1, 1.0), {})
        assert found["server"] == 1000 * (cell + 1)
        clock[0] += 0.7
    assert asked == {1: 10, 2: 2}
