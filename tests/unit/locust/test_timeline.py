"""The timeline of a run, and the users of a shape for programs that do not import it."""

from __future__ import annotations

import time

import pytest

from locustfiles.run.timeline import WINDOW, Timeline
from locustfiles.shapes import seconds
from locustfiles.shapes.totals import Totals


def test_a_moment_is_of_the_last_seconds() -> None:
    answered = [
        Totals(2, 0, {10: 2}),
        Totals(5, 1, {10: 4, 400: 1}),
        Totals(5, 1, {10: 4, 400: 1}),
        Totals(9, 1, {10: 4, 400: 1, 20: 4}),
        Totals(9, 1, {10: 4, 400: 1, 20: 4}),
        Totals(9, 1, {10: 4, 400: 1, 20: 4}),
        Totals(9, 1, {10: 4, 400: 1, 20: 4}),
    ]
    loads = iter(answered)
    began = time.time()
    timeline = Timeline(lambda: next(loads), lambda: 7)
    for second in range(1, len(answered) + 1):
        timeline.add(began + second)
    found = timeline.moments
    assert [round(one["second"]) for one in found] == list(range(1, 8))
    assert {one["users"] for one in found} == {7}
    rates = [one["requests_per_second"] for one in found]
    assert rates == pytest.approx([2, 2, 4 / 3, 2, 4 / 3, 4 / 3, 0], abs=0.01)
    failures = [one["failures_per_second"] for one in found]
    assert failures[1] == pytest.approx(1 / 2, abs=0.01)
    assert [(one["median"], one["p95"]) for one in found][:4] == [
        (10, 10),
        (10, 400),
        (10, 400),
        (20, 400),
    ]
    assert found[-1]["p95"] is None
    assert WINDOW == 3


def test_a_moment_is_added_every_second(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1000.0]
    monkeypatch.setattr(time, "time", lambda: now[0])
    timeline = Timeline(Totals, lambda: 0)

    def sleep(passed: float) -> None:
        if len(timeline.moments) == 3:
            raise KeyboardInterrupt
        now[0] += passed + 0.2

    with pytest.raises(KeyboardInterrupt):
        timeline.follow(sleep)
    # A late moment does not delay the next one.
    assert [one["second"] for one in timeline.moments] == [1.2, 2.2, 3.2]


def test_no_shape_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert seconds.main([]) == 2
    assert tuple(capsys.readouterr()) == ("", "no shape\n")


def test_progress_is_the_last_moment_in_a_line() -> None:
    loads = iter([Totals(8, 0, {10: 8}), Totals(20, 5, {10: 8, 900: 12})])
    timeline = Timeline(lambda: next(loads), lambda: 12)
    began = time.time()
    assert timeline.progress() == ""
    timeline.add(began + 2)
    assert timeline.progress() == "   2 s: 12 users, 4.0 requests/s, p95 10 ms"
    timeline.add(began + 4)
    assert timeline.progress().endswith("s, p95 900 ms, 1.2 failures/s")
