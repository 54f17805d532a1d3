"""A race reads a server's workers while they are under load."""

from __future__ import annotations

from typing import Any

import pytest

from race.machine.meters import meters
from race.plan.read import from_json
from race.run.measure import Measurement, measure
from race.saved.model import Load, Work
from race.web.discipline import SiteDiscipline
from runtime.interpreters import found_versions
from runtime.versions import is_free_threaded
from tests.conftest import absent

CONNECTIONS = 12
LOAD = Load("wrk", CONNECTIONS, duration_s=0.6)


def driven(engine: str, **more: Any) -> Measurement:
    """Start an engine as a race does, load it once, end it, and return what was measured."""
    data = {"name": "x", "title": "X", "engines": [engine], "pages": ["ugly"], **more}
    scenario: Any = from_json(data)
    site = SiteDiscipline()
    choice = site.choose(scenario)
    if not choice.contenders:
        absent("; ".join(choice.left_out))
    contender = choice.contenders[-1]
    chosen: Any = choice.scenario
    with site.open(chosen, choice.contenders) as start:
        subject = start(contender)
        try:
            return measure(subject, meters(), Work("ugly", LOAD))
        finally:
            subject.close()


@pytest.mark.parametrize("engine", ["aiohttp-sqlite-one", "asgi-granian-sqlite-one"])
def test_the_work_and_the_connections_of_each_worker_are_seen(engine: str) -> None:
    measured = driven(engine, workers=[2])
    spent = measured.meters["process_ns"]
    assert sorted(spent) == ["1", "2", "3"]  # two workers and their supervisor
    assert min(spent["1"], spent["2"]) > 10 * spent["3"]
    # The workers used what the server did, but for what it used between the two readings.
    assert sum(spent.values()) == pytest.approx(measured.meters["cpu_ns"]["server"], rel=0.05)
    held = measured.meters["process_connections"]
    assert (held["1"] + held["2"], held["3"]) == (CONNECTIONS, 0)


def test_one_worker_has_no_shares() -> None:
    measured = driven("aiohttp-sqlite-one")
    assert measured.meters["process_connections"] == {}


def free_threaded() -> str:
    """Return the version of an environment without the GIL."""
    found = [version for version in found_versions() if is_free_threaded(version)]
    if not found:
        # No distribution brings one, so CI is none the worse without it.
        pytest.skip("no environment of a free-threaded CPython: make env PYTHONS=3.14t")
    return found[0]


def test_a_build_without_the_lock_serves_without_it() -> None:
    measured = driven("aiohttp-sqlite-one", workers=[2], pythons=[free_threaded()])
    assert (measured.sample.count > 0, measured.sample.problems) == (True, ())


def test_a_lock_that_was_taken_is_seen_in_every_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """PYTHON_GIL has such a build take it from the start, for no module."""
    version = free_threaded()
    monkeypatch.setenv("PYTHON_GIL", "1")
    measured = driven("aiohttp-sqlite-one", workers=[2], pythons=[version])
    text = "the GIL was enabled again in 2 of 2 processes, by an unknown module"
    assert measured.sample.problems == (text,)
