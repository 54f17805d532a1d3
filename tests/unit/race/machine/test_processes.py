"""The meters of single processes, and the numbers of workers that cores stand for."""

from __future__ import annotations

import pytest

from race.discipline import Sample
from race.machine.cores import worker_counts
from race.machine.meters.processes import ProcessConnections, ProcessTime


def test_the_time_of_each_process_the_largest_first() -> None:
    """12 began during the load, 13 ended."""
    before, after = {10: 5, 11: 100, 13: 40}, {10: 6, 11: 400, 12: 700}
    found = ProcessTime().between(before, after, Sample(1, 1.0), {})
    assert found == {"1": 700, "2": 300, "3": 1}


def test_a_single_process_needs_no_meter_of_its_own() -> None:
    assert ProcessTime().between({10: 5}, {10: 9}, Sample(1, 1.0), {}) == {}


def test_connections_are_those_that_were_counted() -> None:
    meter = ProcessConnections()
    sample = Sample(1, 1.0, process_connections=[0, 3, 61])
    assert meter.between(None, None, sample, {}) == {"1": 61, "2": 3, "3": 0}
    assert meter.between(None, None, Sample(1, 1.0), {}) == {}


@pytest.mark.parametrize(
    ("cores", "numbers"),
    [
        (1, [1]),
        (2, [1, 2]),
        (8, [*range(1, 9)]),
        (10, [*range(1, 9), 10]),
        (20, [*range(1, 9), 12, 16, 20]),
        (64, [*range(1, 9), 12, 16, 24, 32, 48, 64]),
        (200, [*range(1, 9), 12, 16, 24, 32, 48, 64]),  # server.py takes no more
    ],
)
def test_workers_up_to_all_cores(cores: int, numbers: list[int]) -> None:
    assert worker_counts(cores) == numbers
