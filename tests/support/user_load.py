"""An invented race under a user load: a pool and a connection for each query, near and far."""

from __future__ import annotations

import math
import random
from pathlib import Path

from msgspec.structs import replace

from race.saved.model import Cell, Contender, Load, Moment, UnitSummary, UserLoad
from race.web.levels import LEVELS
from tests.support import records

LOAD = Load(
    "locust", 70, duration_s=30.0, user_load=UserLoad("Reporter", "Steps", (("steps_rate", "20"),))
)
TASK = "reports"
# Milliseconds of a page, by connection and link.
TIMES = {("query", "0 ms"): 60, ("query", "2 ms"): 300, ("pool", "0 ms"): 20, ("pool", "2 ms"): 45}
DISCIPLINE = replace(
    records.SITE,
    factors={"web": ["aiohttp"], "connection": ["pool", "query"], "link": []},
    tasks={TASK: "Reports"},
    headline=None,
    level_texts=LEVELS,
)


def contenders() -> list[Contender]:
    """Four, and the twin of the first."""
    found = [
        Contender(
            label=f"aiohttp-psycopg-{connection}, link {link}",
            name=f"aiohttp-psycopg-{connection}",
            factors={"web": "aiohttp", "connection": connection, "link": link},
        )
        for connection, link in TIMES
    ]
    return [*found, replace(found[0], label=f"{found[0].label} (A/A)", aa=True)]


def write(folder: Path, rounds: int = 6) -> Path:
    """Save the race into a folder, and give it back."""
    everyone, dice = contenders(), random.Random(7)  # noqa: S311 - the same every time
    head = records.head(
        *everyone,
        race="pool-shape",
        discipline=DISCIPLINE,
        scenario={"name": "pool-shape", "title": "A pool", "rounds": rounds},
        finished_at=records.NOW,
        baseline=everyone[0].label,
    )
    cells = [_cell(one, number, dice) for number in range(1, rounds + 1) for one in everyone]
    return records.write(folder, head, cells)


def _cell(who: Contender, number: int, dice: random.Random) -> Cell:
    slow = TIMES[who.factors["connection"], who.factors["link"]] * math.exp(dice.gauss(0, 0.02))
    pooled = who.factors["connection"] == "pool"
    times = {"p50": slow * 1e3, "p95": slow * 4e3}
    count = round(600 / (1 + slow / 2500))
    return records.cell(
        who.label,
        round=number,
        task=TASK,
        load=LOAD,
        status="ok",
        reason=None,
        saturated="nobody",
        count=count,
        seconds=30.0,
        throughput=count / 30,
        latency_us=times,
        histogram=[(slow * 1e3, count)],
        timeline=[
            Moment(
                at=float(second),
                users=min(70, 5 * second),
                throughput=float(second),
                p50_us=None if second == 1 else slow * 1e3,
                p95_us=None if second == 1 else slow * 1e3 * (1 + second / 10),
                connections=10 if pooled else second // 5,
            )
            for second in range(1, 31)
        ],
        by_name={
            "Report 1": UnitSummary(count=count * 3 // 4, latency_us=times),
            "Report 5": UnitSummary(count=count // 4, latency_us={"p50": slow * 5e3}),
        },
        meters={"cpu_ns": {"server": count * 9_000_000}, "cores": {"steal": 0.0, "foreign": 0.0}},
        facts={"database_requests": 5.5},
    )
