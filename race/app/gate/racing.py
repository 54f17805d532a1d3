"""Races for one verdict: as many rounds as fit a time, fixed before, run to their end."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Sequence
from pathlib import Path

from race.analysis.analyse import analyse
from race.analysis.model import Analysis
from race.app.gate.judge import rounds_needed
from race.console import Console
from race.errors import Disturbed
from race.plan import read
from race.plan.forecast import Plan
from race.run import race
from race.saved.reader import RUN_FILE, load
from race.terminal import again, board
from race.terminal.say import say

MOST_ROUNDS = 60
RESERVE = 0.8
"""The share of the time that rounds are planned for: starts, builds and repeated cells take more
on a busy machine than is foreseen."""


def checks(plan: Plan) -> int:
    """Return how many intervals a race gives."""
    return len(plan.works_of(plan.rounds))


def least(plan: Plan) -> int:
    """Return the fewest rounds that give each check of a race an interval."""
    return rounds_needed(checks(plan))


def fitting(plan: Plan, seconds: float) -> int:
    """Return how many rounds of a plan fit into a time."""
    more = max(1, plan.scenario.restart)
    first, later = (with_rounds(plan, rounds).seconds() for rounds in (1, 1 + more))
    left = seconds * RESERVE - first
    return min(MOST_ROUNDS, max(0, 1 + math.floor(left / ((later - first) / more))))


def with_rounds(plan: Plan, rounds: int) -> Plan:
    """Return a plan with another number of rounds."""
    return race.prepare(read.change(plan.scenario, {"rounds": rounds}))


def raced(plan: Plan, results: Path, words: Sequence[str], seed: int) -> Analysis:
    """Race a plan, and return what was found, also where the machine disturbed the race too much.
    `words` are the command that began it.
    """
    head = race.new_head(plan, seed, ["race", *words], results)
    folder = results / head.race
    console = Console(stderr=True)
    try:
        with contextlib.suppress(Disturbed):
            race.run(folder, head, plan, board.on(console))
    except KeyboardInterrupt:
        if (folder / RUN_FILE).exists():
            say(console, "all finished cells are kept; to finish the race, without a verdict:")
            say(console, f"  {again.resume(folder)}")
        raise
    return analyse(load(folder))
