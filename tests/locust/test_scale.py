"""The table of users by workers: its order, its reading of a run, its lines."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from locustfiles.shapes.drawing import bending, curve
from locustfiles.shapes.load import Load
from locustfiles.shapes.plan import planned
from locustfiles.shapes.ramp import Ramp
from race.errors import RaceError
from race.web.locust.scale import Found, found, order, table
from runtime.paths import ROOT

SECONDS = 100


def report(finding: str | None, *reasons: str, cpu: tuple[float | None, ...] = ()) -> Any:
    return {
        "verdict": {"valid": not reasons, "reasons": list(reasons)},
        "finding": finding,
        "server": [{"server_cpu": one} for one in cpu],
    }


def test_rounds_are_mirrored() -> None:
    assert list(order([0, 1, 2], 3)) == [0, 1, 2, 2, 1, 0, 0, 1, 2]


def test_the_words_of_the_shape_are_understood() -> None:
    plan = planned(Ramp, {})
    curve(plan, bending)
    said = report(plan.finding(), cpu=(None, 0.5, 0.9))
    assert found(said, "") == Found(60, 60.0, False, 0.9, False)
    plan = planned(Ramp, {"ramp_first": "3", "ramp_step": "4", "ramp_time": "6", "ramp_most": "9"})
    curve(plan, lambda users: Load(5, 0, {3: 5}))
    warned = found(report(plan.finding()), "... CPU usage above 90%! ...")
    assert warned == Found(9, 5.0, True, None, True)


@pytest.mark.parametrize(
    ("read", "said"),
    [
        (report("no knee: with 5 users, the fewest, p95 was 900 ms"), "no knee: with 5 users"),
        (report(None), "the run ended before its first step was over"),
        (report("the knee is at 5 users (2.0 requests/s", "1 of 2 workers lost: a"), "1 of 2"),
    ],
)
def test_a_run_of_no_use_says_why(read: Any, said: str) -> None:
    with pytest.raises(RaceError, match=said):
        found(read, "")


def test_a_site_that_died_has_no_knee() -> None:
    read = report("no knee up to 1000 users (400.0 requests/s")
    with pytest.raises(RaceError, match="the site died: it ended with code 1"):
        found(read, "site: http://x\nthe site died: it ended with code 1\n")


def test_the_table_has_medians_and_the_spread() -> None:
    ones = [Found(users, users * 0.4, users == 900, 0.25, False) for users in (500, 700, 900)]
    lines = list(table({2: ones, 0: [Found(300, 120.4, False, None, True)]}))
    assert lines[2:] == [
        "| none | 1 | 300 (300–300) | 120 (120–120) | – | in 1 of 1 |",
        "| 2 | 3 | ≥ 700 (500–900) | 280 (200–360) | 0.25 (0.25–0.25) | in 0 of 3 |",
    ]
    assert len({line.count("|") for line in lines}) == 1


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    """The command, to its end."""
    return subprocess.run(
        [sys.executable, "-m", "race.web.locust.scale", *arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        timeout=SECONDS,
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--workers", "1,x"], "'x' is no number of workers"),
        (["--workers", "1,1"], "'1,1' has a number twice"),
        (["--rounds", "0"], "'0' is no number of rounds: 1 to 100"),
    ],
)
def test_a_mistake_is_one_line(arguments: list[str], said: str) -> None:
    done = command(*arguments)
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
    assert said in done.stderr


def test_it_measures() -> None:
    ramp = ("--ramp-first=4", "--ramp-step=4", "--ramp-time=6", "--ramp-most=8")
    done = command("--workers", "0,1", "--rounds", "1", "--", *ramp)
    assert done.returncode == 0, done.stderr
    rows = done.stdout.splitlines()[2:]
    assert [row.split(" | ")[:3] for row in rows] == [
        ["| none", "1", "≥ 8 (8–8)"],
        ["| 1", "1", "≥ 8 (8–8)"],
    ]
    assert "1 workers: Found(users=8, rate=" in done.stderr


def test_a_run_that_fails_is_said_with_what_there_is() -> None:
    done = command("--engine", "aiohtp-memory-one", "--workers", "0", "--rounds", "1")
    assert done.returncode == 1
    assert "scale: the run ended with status 1: " in done.stderr
    assert "did you mean" in done.stderr
