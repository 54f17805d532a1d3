"""Verdicts on runs: INVALID, limits passed, and the exit status of the program."""

from __future__ import annotations

import pytest

from locustfiles.run import worker_guard
from locustfiles.run.verdict import FailureLimits, RunVerdict, exit_status
from locustfiles.run.worker_guard import WorkerGuard
from locustfiles.shapes.totals import Totals
from locustfiles.shapes.values import WrongField
from locustfiles.timeouts import Timeouts

NONE = FailureLimits()
HUNDRED = Totals(100, 2, {10: 94, 600: 6})


def test_limits_are_read_as_people_write_them() -> None:
    assert FailureLimits.parse("", "") == NONE
    assert FailureLimits.parse("500ms", "1%") == FailureLimits(500.0, 0.01)
    assert FailureLimits.parse("1.5s", "0.5") == FailureLimits(1500.0, 0.5)
    assert FailureLimits.parse("20", "0") == FailureLimits(20.0, 0.0)


@pytest.mark.parametrize(
    ("p95", "ratio", "said"),
    [
        ("soon", "", "--fail-p95: 'soon' is no time"),
        ("0", "", "--fail-p95: '0' is no time"),
        ("", "2", "--fail-ratio: '2' is no share"),
        ("", "-1%", "--fail-ratio: '-1%' is no share"),
    ],
)
def test_what_is_no_limit_is_one_line(p95: str, ratio: str, said: str) -> None:
    with pytest.raises(WrongField, match=said):
        FailureLimits.parse(p95, ratio)


def test_a_limit_is_passed_when_it_is_exceeded() -> None:
    assert NONE.passed(HUNDRED) == []
    assert FailureLimits(600, 0.02).passed(HUNDRED) == []
    assert FailureLimits(599, 0.019).passed(HUNDRED) == [
        "p95 is 600 ms, over 599 ms",
        "2.00% failed, over 1.90%",
    ]
    assert FailureLimits(ratio=0.5).passed(Totals()) == ["no request was answered"]


def test_the_verdict_in_words() -> None:
    assert str(RunVerdict()) == "valid"
    assert str(RunVerdict(passed=["p95 is 2 ms, over 1 ms"])) == "valid; p95 is 2 ms, over 1 ms"
    assert str(RunVerdict(["1 of 2 workers lost: a"], ["x"])) == "INVALID: 1 of 2 workers lost: a"


@pytest.mark.parametrize(
    ("verdicts", "limits", "broken", "status"),
    [
        ([], NONE, False, None),
        ([RunVerdict()], NONE, False, None),
        ([RunVerdict()], FailureLimits(p95=5), False, None),
        ([RunVerdict()], FailureLimits(ratio=0.5), False, 0),
        ([RunVerdict()], FailureLimits(ratio=0.5), True, None),
        ([RunVerdict(passed=["p"]), RunVerdict()], FailureLimits(p95=5), False, 1),
        ([RunVerdict(["lost"]), RunVerdict(passed=["p"])], NONE, False, 3),
    ],
)
def test_the_exit_status(
    verdicts: list[RunVerdict], limits: FailureLimits, broken: bool, status: int | None
) -> None:
    assert exit_status(verdicts, limits, broken) == status


class Node:
    def __init__(self, state: str = "running") -> None:
        self.state = state


def test_a_guard_knows_who_is_lost() -> None:
    clients = {"a": Node(), "b": Node(), "old": Node("missing")}
    guard = WorkerGuard(clients)
    assert guard.expected == {"a", "b"}
    assert guard.lost() == set()
    clients["a"].state = "missing"
    del clients["b"]
    clients["new"] = Node()
    assert guard.lost() == {"a", "b"}
    assert guard.reason({"b", "a"}) == "2 of 2 workers lost: a, b"
    guard.add(client_id="new")
    assert guard.lost() == {"a", "b"}
    clients["new"].state = "missing"
    assert guard.lost() == {"a", "b", "new"}


def test_the_end_of_a_run_waits_for_a_heartbeat_of_each_worker() -> None:
    clients = {"a": Node(), "b": Node()}

    def pause(seconds: float) -> None:
        guard.note_heartbeat("b")
        guard.note_heartbeat("a")

    guard = WorkerGuard(clients, pause)
    guard.note_heartbeat("a")
    assert guard.lost_at_the_end() == set()


def test_a_worker_without_a_heartbeat_at_the_end_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_guard, "TIMEOUTS", Timeouts(heartbeat=0.05))
    clients = {"a": Node(), "b": Node()}
    guard = WorkerGuard(clients, lambda seconds: guard.note_heartbeat("a"))
    guard.note_heartbeat("b")
    assert guard.lost_at_the_end() == {"b"}
    clients["b"].state = "missing"
    assert guard.lost_at_the_end() == {"b"}
