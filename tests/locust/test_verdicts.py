"""When a run is worth nothing, when it passed a limit, and what the program ends with."""

from __future__ import annotations

import pytest

from locustfiles.run.guard import Guard
from locustfiles.run.verdict import Limits, Verdict, exit_status
from locustfiles.shapes.load import Load
from locustfiles.shapes.values import WrongField

NONE = Limits()
HUNDRED = Load(100, 2, {10: 94, 600: 6})


def test_limits_are_read_as_people_write_them() -> None:
    assert Limits.parse("", "") == NONE
    assert Limits.parse("500ms", "1%") == Limits(500.0, 0.01)
    assert Limits.parse("1.5s", "0.5") == Limits(1500.0, 0.5)
    assert Limits.parse("20", "0") == Limits(20.0, 0.0)


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
        Limits.parse(p95, ratio)


def test_a_limit_is_passed_when_it_is_exceeded() -> None:
    assert NONE.passed(HUNDRED) == []
    assert Limits(600, 0.02).passed(HUNDRED) == []
    assert Limits(599, 0.019).passed(HUNDRED) == [
        "p95 is 600 ms, over 599 ms",
        "2.00% failed, over 1.90%",
    ]
    assert Limits(ratio=0.5).passed(Load()) == ["no request was answered"]


def test_the_verdict_in_words() -> None:
    assert str(Verdict()) == "valid"
    assert str(Verdict(passed=["p95 is 2 ms, over 1 ms"])) == "valid; p95 is 2 ms, over 1 ms"
    assert str(Verdict(["1 of 2 workers lost: a"], ["x"])) == "INVALID: 1 of 2 workers lost: a"


@pytest.mark.parametrize(
    ("verdicts", "limits", "broken", "status"),
    [
        ([], NONE, False, None),
        ([Verdict()], NONE, False, None),
        ([Verdict()], Limits(p95=5), False, None),
        ([Verdict()], Limits(ratio=0.5), False, 0),
        ([Verdict()], Limits(ratio=0.5), True, None),
        ([Verdict(passed=["p"]), Verdict()], Limits(p95=5), False, 1),
        ([Verdict(["lost"]), Verdict(passed=["p"])], NONE, False, 3),
    ],
)
def test_the_exit_status(
    verdicts: list[Verdict], limits: Limits, broken: bool, status: int | None
) -> None:
    assert exit_status(verdicts, limits, broken) == status


class Node:
    def __init__(self, state: str = "running") -> None:
        self.state = state


def test_a_guard_knows_who_is_lost() -> None:
    clients = {"a": Node(), "b": Node(), "old": Node("missing")}
    guard = Guard(clients)
    assert guard.expected == {"a", "b"}
    assert guard.lost() == set()
    clients["a"].state = "missing"
    del clients["b"]
    clients["new"] = Node()
    assert guard.lost() == {"a", "b"}
    assert guard.sentence({"b", "a"}) == "2 of 2 workers lost: a, b"
    guard.joined(client_id="new")
    assert guard.lost() == {"a", "b"}
    clients["new"].state = "missing"
    assert guard.lost() == {"a", "b", "new"}


def test_the_roll_call_waits_for_a_heartbeat_of_each() -> None:
    clients = {"a": Node(), "b": Node()}

    def pause(seconds: float) -> None:
        guard.heard("b")
        guard.heard("a")

    guard = Guard(clients, pause)
    guard.heard("a")
    assert guard.roll_call() == set()


def test_who_does_not_answer_the_roll_call_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("locustfiles.run.guard.ROLL_CALL_SECONDS", 0.05)
    clients = {"a": Node(), "b": Node()}
    guard = Guard(clients, lambda seconds: guard.heard("a"))
    guard.heard("b")
    assert guard.roll_call() == {"b"}
    clients["b"].state = "missing"
    assert guard.roll_call() == {"b"}
