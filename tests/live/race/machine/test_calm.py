"""After a cell that the machine disturbed the race waits until it is quiet, and not for ever."""

from __future__ import annotations

from race.machine import calm, cores, probe


def test_a_look_keeps_every_core_busy_and_sees_them_used_by_itself() -> None:
    layout = cores.assign(["server", "generator"])
    seen = calm.burn(layout, 0.2)
    if len(cores.allowed()) < 2:
        assert seen == {}
        return
    assert seen.keys() >= {"steal", "foreign"}
    assert 0 <= seen["steal"] <= 1
    assert calm.burn({"server": frozenset()}) == {}


def test_a_core_is_timed_beside_an_idle_one_and_a_busy_one() -> None:
    layout = cores.assign(["server", "generator"])
    found = probe.neighbour(layout, 0.2)
    if len(cores.allowed()) < 2:
        assert found is None
        return
    assert found is not None
    assert 1e5 < found.beside < 1.5 * found.alone
    assert probe.neighbour({"server": frozenset([0])}) is None
