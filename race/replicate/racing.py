"""Races a claim's pair beside an A/A twin and a planted slowdown, and sums it up."""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from race.analysis.analyse import analyse
from race.analysis.model import Analysis, Comparison
from race.analysis.values import rate, values
from race.console import Console
from race.errors import Disturbed, RaceError
from race.paths import SCENARIOS
from race.plan import read
from race.plan.contenders import TWIN_MARK
from race.plan.forecast import Plan
from race.replicate.judge import judged
from race.replicate.predictions import ROUNDS, SHARE, Claim
from race.replicate.record import OPEN, Machine, Ratio, Replication, Seen
from race.run import race
from race.run.learned import connection_key
from race.saved.head import Environment, Head, Interpreter
from race.saved.reader import load
from race.stats.processes import log_ratios
from race.terminal import board

RESTART = 4
MOST_SECONDS = 540.0
PLAIN, SLOWED = "plain", "slowed"
_SERVER = ["{python}", "-m", "race.web.programs.slowed_server"]
_ENGINE = ["-e", "aiohttp-memory-one"]
PACKAGES = (
    *("aiohttp", "sanic", "japronto", "uvloop", "Jinja2", "SQLAlchemy"),
    *("asyncpg", "asynctnt", "psycopg", "psycopg-c", "psycopg-binary"),
)
"""Packages whose versions are saved: those that the claims are about."""


def plan(claim: Claim, rounds: int = ROUNDS) -> Plan:
    """Return the race of a claim; RaceError where one of its pair cannot run here."""
    made = race.prepare(read.from_json(_scenario(claim, rounds)))
    here = {one.label for one in made.contenders}
    if missing := [label for label in claim.pair if label not in here]:
        reasons = [text for text in made.left_out if text.startswith(missing[0])]
        raise RaceError(next(iter(reasons), f"{missing[0]} cannot run here"))
    return made


def _scenario(claim: Claim, rounds: int) -> Mapping[str, Any]:
    first, second = claim.pair
    return {
        "name": f"replicate-{claim.id}",
        "title": claim.question,
        "engines": list(dict.fromkeys([second, first, PLAIN, SLOWED])),
        "pages": [claim.page],
        "rounds": rounds,
        "restart": RESTART,
        "baseline": second,
        "time_limit_s": MOST_SECONDS,
        "programs": _programs(claim),
        "load": {
            "connections": claim.connections,
            "pipelined_connections": claim.connections,
            "pipeline": [claim.pipeline],
            "duration_s": 0.3,
        },
        "warmup": {"window_s": 0.1, "calibration_s": 0.3, "windows": 1},
        "limits": {"reruns": 1, "quiet_wait_s": 0},
    }


def _programs(claim: Claim) -> Mapping[str, Any]:
    """Return the two servers of the planted slowdown, and the programs of the pair.

    The plain one wastes nothing but has the same timer, which costs something, too.
    """
    shares = {PLAIN: "0", SLOWED: f"{SHARE:g}"}
    found = {name: {"command": [*_SERVER, share, *_ENGINE]} for name, share in shares.items()}
    if claim.scenario:
        known = read.toml(SCENARIOS / f"{claim.scenario}.toml")["programs"]
        found |= {name: known[name] for name in claim.pair if name in known}
    return found


def raced(made: Plan, claim: Claim, results: Path, seed: int | None = None) -> Path:
    """Race a plan with the connections of its claim; return the folder of the race."""
    seed = secrets.randbelow(2**31) if seed is None else seed
    rounds = str(made.scenario.rounds)
    words = ["race", "replicate", claim.id, "--rounds", rounds, "--seed", str(seed)]
    connections = {connection_key(work): claim.connections for work in made.works}
    head = race.new_head(made, seed, words, results, connections)
    folder = results / head.race
    with contextlib.suppress(Disturbed):
        race.run(folder, head, made, board.on(Console(stderr=True)))
    return folder


def summed_up(folder: Path, claim: Claim) -> Replication:
    """Return what a race says of its claim, judged."""
    analysis = analyse(load(folder))
    head, here = analysis.race.head, analysis.race.head.environment
    comparison = next((one for one in analysis.comparisons), None)
    if comparison is None:
        raise RaceError(f"{folder}: no cell was measured")
    rates = values(analysis.counted, rate).get(comparison.work, {})

    def ratio(first: str, second: str) -> Ratio | None:
        """Return a ratio from the rounds that both have, whoever was saturated."""
        logs = log_ratios(rates.get(first, {}), rates.get(second, {}))
        return Ratio.of(comparison.kept.estimate(logs))

    first, second = claim.pair
    twin = ratio(second + TWIN_MARK, second)
    found = Replication(
        claim=claim.id,
        predicted=claim.predicted,
        outcome=OPEN,
        reason="",
        ratio=ratio(first, second) if first != second else twin,
        twin=twin,
        planted=ratio(SLOWED, PLAIN),
        margin=_margin(comparison),
        obstacle=_obstacle(analysis, comparison, claim),
        page=claim.page,
        pipeline=claim.pipeline,
        connections=comparison.connections[1],
        rounds=comparison.rounds,
        seed=head.seed,
        started_at=head.started_at,
        contenders=_seen(comparison),
        machine=_machine(here),
        interpreters=_interpreters(head, claim),
        versions={name: text for name, text in here.versions.items() if text},
        commit=here.commit,
        dirty=here.dirty,
    )
    return judged(found, claim)


def _machine(here: Environment) -> Machine:
    hypervisor = here.hardware.hypervisor if here.hardware else None
    return Machine(here.cpu or "unknown", here.cores or 1, here.kernel or "unknown", hypervisor)


def _margin(comparison: Comparison) -> float | None:
    found = 1 + comparison.margin_percent / 100
    return round(found, 6) if found < float("inf") else None


def _obstacle(analysis: Analysis, comparison: Comparison, claim: Claim) -> str:
    """Return why the ratio does not count: the machine, or a rate that is a lower bound."""
    if analysis.trust.no_result:
        return analysis.trust.no_result.removeprefix("No result: ").partition(". ")[0]
    for label in dict.fromkeys([*claim.pair, PLAIN, SLOWED]):
        item = comparison.result(label)
        if item is None or item.state != "ranked":
            reason = item.reason if item else "it did not run"
            return f"{label}: {reason}"
    return ""


def _seen(comparison: Comparison) -> dict[str, Seen]:
    return {
        one.label: Seen(round(one.throughput.median, 1), one.saturated, one.rounds)
        for one in comparison.results
        if one.throughput
    }


def _interpreters(head: Head, claim: Claim) -> dict[str, Interpreter]:
    """Return the interpreters of the pair with the packages that claims are about."""
    known = head.environment.interpreters
    return {
        label: replace(found, packages={k: v for k, v in found.packages.items() if k in PACKAGES})
        for label in claim.pair
        if (found := known.get(label))
    }
