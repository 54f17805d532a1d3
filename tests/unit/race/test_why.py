"""What two profiles differ in, from stacks that are made up."""

from __future__ import annotations

import os
from unittest.mock import Mock

import pytest
from markupsafe import Markup

from race.discipline import Party, Sample
from race.errors import CellFailed, RaceError
from race.report.charts import svg
from race.run.measure import Measurement
from race.saved.model import Contender, Load, Work
from race.why import answer, explain, profiler, syscalls
from race.why.differences import Explanation, explanation
from race.why.flames import flames
from race.why.profiler import stacks
from race.why.record import Profile, ProfileCell
from race.why.syscalls import CannotCount, summary

RAW = """process 7:"sh -c a; b";process 8:"python shop.py";run (runners.py);list_items (shop.py) 30
run (runners.py);<module> (a b.py) 12
run (runners.py);list_items (shop.py) 5
"""
SUMMARY = """% time     seconds  usecs/call     calls    errors syscall
------ ----------- ----------- --------- --------- ----------------
 64.48    4.213336        6952       606        29 futex
  8.71    0.568915          27     20736           read
  0.00    0.000000           0         1           pread64
------ ----------- ----------- --------- --------- ----------------
100.00    6.533970         136     21343        29 total
"""


def cell(
    label: str,
    number: int,
    cpu_us: float,
    stacks: dict[str, int],
    calls: dict[str, float] | None = None,
) -> ProfileCell:
    return ProfileCell(
        label=label,
        round=number,
        count=1000,
        seconds=1.0,
        cpu_us=cpu_us,
        stacks=stacks,
        threads={"python": cpu_us},
        calls=calls or {},
    )


def profile(*cells: ProfileCell, no_functions: str = "", no_calls: str = "") -> Profile:
    return Profile(
        race="r",
        labels=("old", "new"),
        task="list",
        load=Load("wrk", 16),
        hertz=200,
        no_functions=no_functions,
        no_calls=no_calls,
        cells=list(cells),
    )


def explained() -> Explanation:
    """A new version that is slower by a function `slow`, and lost a function `gone`."""
    old = {"run;handle": 80, "run;gone": 20}
    new = {"run;handle": 40, "run;slow": 60}
    cells = [cell("old", number, 100 + number, old) for number in (1, 2, 3)]
    cells += [cell("new", number, 200 + number, new) for number in (1, 2, 3, 4)]
    return explanation(profile(*cells))


def test_stacks_are_read_without_the_frames_of_processes() -> None:
    found = stacks(RAW)
    assert found == {
        "run (runners.py);list_items (shop.py)": 35,
        "run (runners.py);<module> (a b.py)": 12,
    }


def test_the_function_that_takes_longest_comes_first_in_microseconds_of_a_request() -> None:
    found = explained()
    assert (found.rounds, found.functions) == (3, True)
    assert [row.name for row in found.rows] == ["slow", "gone", "handle"]
    slow, gone, handle = found.rows
    assert slow.first == 0
    assert slow.second == pytest.approx(0.6 * 202)
    assert gone.difference.value == pytest.approx(-0.2 * 102)
    assert handle.difference.value == pytest.approx(0.4 * 202 - 0.8 * 102, abs=1e-6)
    assert slow.difference.low < slow.difference.value < slow.difference.high
    assert found.total.value == pytest.approx(100)
    said = answer.headline(found, "request")
    assert said.startswith("new takes 100 us more CPU time for a request of list than old (202 and")
    assert "The function that differs most: slow (+121 [+" in said


def test_what_differs_by_chance_is_not_named() -> None:
    cells = [cell("old", n, 100, {"run;a": 50 + n, "run;b": 50 - n}) for n in (-9, 3, 6)]
    cells += [cell("new", n, 100, {"run;a": 50 - n, "run;b": 50 + n}) for n in (-9, 3, 6)]
    assert "differs most" not in answer.headline(explanation(profile(*cells)), "request")


def test_the_tree_has_room_for_both_and_colours_for_more_and_less() -> None:
    tree = explained().tree
    run = tree.called["run"]
    assert tree.width == pytest.approx(run.width) == pytest.approx(102 + 0.6 * 202)
    drawn = str(svg.drawing([flames(tree, "", "request")], "t", "d"))
    assert "slow: 0.00 and 121 us of request" in drawn
    assert "var(--accent3)" in drawn
    assert "var(--accent1)" in drawn
    named = Markup.escape("<b>")
    tree.called["run"].called["<b>"] = type(tree)("<b>", 50.0, 0.0)
    assert str(named) in str(svg.drawing([flames(tree, "", "request")], "t", "d"))


def test_without_functions_threads_are_compared_and_the_reason_is_said() -> None:
    cells = [cell("old", n, 100, {}) for n in (1, 2)] + [cell("new", n, 150, {}) for n in (1, 2)]
    missing = "strace is not installed: apt-get install strace"
    found = explanation(
        profile(*cells, no_functions="py-spy finds no Python in one of them", no_calls=missing)
    )
    assert [row.name for row in found.rows] == ["python"]
    assert round(found.rows[0].difference.value) == 50
    text = answer.markdown(found, "request")
    assert "finds no Python in one of them" in text
    assert f"By system call: cannot say, because {missing}." in text


def test_system_calls_are_compared_where_functions_cannot_be_seen() -> None:
    """A cell without them is left out, and the largest difference comes first."""
    old, new = {"read": 1.0, "write": 1.0}, {"read": 1.1, "write": 1.0, "openat": 2.0}
    cells = [cell("old", n, 100, {}, old) for n in (1, 2, 3)]
    cells += [cell("new", n, 100, {}, new if n > 1 else None) for n in (1, 2, 3)]
    found = explanation(profile(*cells, no_functions="no Python"))
    assert (found.rounds, found.counted) == (3, 2)
    assert [row.name for row in found.calls] == ["openat", "read", "write"]
    text = answer.markdown(found, "request")
    assert "The system call that differs most: openat (+2.00 [+2.00, +2.00])." in text
    assert "strace counted them in 2 further cells of each" in text
    assert "| openat | 0.00 | 2.00 | +2.00 [+2.00, +2.00] |" in text
    assert [one["name"] for one in found.as_json()["call"]] == ["openat", "read", "write"]


def test_the_summary_of_strace_is_read() -> None:
    assert summary(SUMMARY) == {"futex": 606, "read": 20736, "pread64": 1}


def test_a_deep_recursion_is_drawn_down_to_a_depth() -> None:
    deep = ";".join(["again"] * 3000)
    cells = [cell(label, 1, 100, {deep: 10}) for label in ("old", "new")]
    assert explanation(profile(*cells)).tree.width == 100


@pytest.mark.parametrize("failed", [CannotCount, CellFailed, RaceError])
def test_cpu_time_is_known_whatever_becomes_of_the_profiler_and_strace(
    monkeypatch: pytest.MonkeyPatch, failed: type[Exception]
) -> None:
    measured = Measurement(Sample(count=100, seconds=1.0), {"cpu_ns": {"server": 500_000}})
    for module, name, fake in (
        (explain, "layout_of", Mock(return_value={})),
        (explain, "measure", Mock(return_value=measured)),
        (profiler, "missing", Mock(return_value=None)),
        (profiler, "looking", Mock(side_effect=profiler.CannotLook("may not look"))),
        (syscalls, "counting", Mock(side_effect=failed("strace broke"))),
    ):
        monkeypatch.setattr(module, name, fake)
    subject, said = Mock(parties=lambda: {"server": Party(pid=os.getpid())}), Mock()
    runner = explain.Explain(Mock(), [], Work("list", Load("wrk", 16)), 1, Mock(), said)
    one = runner._cell(Mock(return_value=subject), Contender(label="a", name="a"), 1)
    assert (one.cpu_us, one.calls) == (5.0, {})
    assert (runner.no_functions, runner.no_calls) == ("may not look", "strace broke")
    assert said.call_count == 2
    subject.close.assert_called_once_with()
