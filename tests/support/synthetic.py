"""Invented races with the shape of real ones, for the tests of statistics and reports.

Rates follow orders of magnitude seen on two cores; noise, drift, a cell that is measured again, a
failing engine and a generator-bound page are put in on purpose.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from msgspec.structs import replace

from race.saved.head import Build, Environment, Hardware, Head, Interpreter, Probe
from race.saved.model import Cell, Contender, Discipline, Figures, Load, Status, Work
from race.stats.histogram import percentile
from race.web.levels import LEVELS
from tests.support import records

ARTICLE = (
    "aiohttp-tarantool-multi",
    "aiohttp-tarantool-one",
    "aiohttp-tarantool-one-uvloop",
    "aiohttp-postgres-pool",
    "aiohttp-postgres-pool-uvloop",
    "sanic-tarantool-one",
    "sanic-tarantool-one-uvloop",
    "japronto-tarantool-one",
    "japronto-tarantool-one-uvloop",
)
SMALL = (ARTICLE[1], ARTICLE[2], ARTICLE[5], ARTICLE[8], ARTICLE[0])
PAGES = ("index", "good", "bad", "ugly", "about")
BASELINE = "aiohttp-tarantool-one"
DISCIPLINE = Discipline(
    name="web",
    unit="requests",
    contender="engine",
    task="page",
    parties=["server", "generator", "database"],
    factors={
        "web": ["aiohttp", "sanic", "japronto"],
        "loop": ["asyncio", "uvloop"],
        "backend": ["memory", "tarantool", "postgres"],
        "connection": ["one", "pool", "multi", "query"],
        "python": [],
    },
    tasks={name: name.capitalize() for name in (*PAGES, "vote")},
    headline="good",
    task_texts={"index": "Two to choose from.", "ugly": "Four letters: no database."},
    level_texts=LEVELS,
    ignores={"ugly": ["backend", "connection", "render"], "about": ["backend", "connection"]},
    meters={"cpu_ns": "ns", "memory_bytes": "bytes", "switches": "count", "cores": "fraction"},
)

# CPU microseconds of the web server per request, and database requests, by page.
_WEB = {"aiohttp": 75.0, "sanic": 30.0, "japronto": 5.5}
_PAGE_COST = {"index": 30.0, "good": 28.0, "bad": 28.0, "ugly": 0.0, "about": 9.0, "vote": 60.0}
_REQUESTS = {"index": 8.0, "good": 3.0, "bad": 3.0, "ugly": 0.0, "about": 0.0, "vote": 12.0}
_PER_REQUEST = {"tarantool": 11.0, "postgres": 24.0, "memory": 0.4}
_PER_REQUEST_IN_DATABASE = {"tarantool": 4.0, "postgres": 21.0, "memory": 0.0}


@dataclass(frozen=True)
class Recipe:
    """The race to invent. `slowdown` multiplies the cost of the engines that it names."""

    name: str = "20261120-204500-article"
    scenario: str = "article"
    engines: Sequence[str] = ARTICLE
    pages: Sequence[str] = PAGES
    rounds: int = 12
    depths: Sequence[int] = (24,)
    rates: Sequence[float] = ()
    seed: int = 20261120
    noise: float = 0.018
    faults: bool = True
    finished: bool = True
    slowdown: dict[str, float] = field(default_factory=dict)


def write(folder: Path, recipe: Recipe | None = None) -> Path:
    """Write run.json and cells.jsonl into `folder`, which it makes, and give it back."""
    recipe = recipe or Recipe()
    return records.write(folder, _head(recipe), cells(recipe))


def contenders(recipe: Recipe) -> list[Contender]:
    """Return a contender for each engine, and the A/A twin of the baseline."""
    found = [Contender(label=name, name=name, factors=_factors(name)) for name in recipe.engines]
    original = next((one for one in found if one.label == BASELINE), found[0])
    return [*found, replace(original, label=f"{original.label} (A/A)", aa=True)]


def _factors(engine: str) -> dict[str, str]:
    """Return the factors of an engine, by its name alone: the engines here are invented."""
    web, backend, connection, *loop = engine.split("-")
    return {
        "web": web,
        "loop": loop[0] if loop else "asyncio",
        "backend": backend,
        "connection": connection,
        "python": "3.7" if web == "japronto" else "3.13",
    }


def cells(recipe: Recipe) -> Iterator[Cell]:
    """Every cell, in the order in which a race would save them."""
    random = np.random.default_rng(recipe.seed)
    bad_round = 5 if recipe.faults else 0
    everyone = contenders(recipe)
    for number in range(1, recipe.rounds + 1):
        speed = math.exp(random.normal(0, 0.06))
        order = list(random.permutation(len(everyone)))
        works = [(everyone[index], work) for index in order for work in _works(recipe)]
        for place, (contender, work) in enumerate(works):
            cell = _cell(recipe, random, contender, work, speed)
            cell = replace(cell, round=number, order=place)
            if (number, place) == (bad_round, 17):
                yield _spoil(cell)
            yield cell


def _works(recipe: Recipe) -> Iterator[Work]:
    for page in recipe.pages:
        yield Work(page, Load("wrk", 100))
        if page in ("ugly", "about"):
            yield from (Work(page, Load("wrk", 100, pipeline=depth)) for depth in recipe.depths)
        if page in ("index", "good", "bad"):
            yield from (Work(page, Load("oha", 100, rate=rate)) for rate in recipe.rates)


def _costs(recipe: Recipe, who: Contender, work: Work) -> tuple[float, float]:
    """CPU microseconds per request of the web server and of the database."""
    web, backend, connection = (who.factors[name] for name in ("web", "backend", "connection"))
    fast = who.factors["loop"] == "uvloop" and web != "japronto"
    cost = _WEB[web] * (0.78 if fast else 1.0)
    depth = work.load.pipeline
    cost /= 1 if depth == 1 else min(depth, 24) ** {"japronto": 0.7}.get(web, 0.12)
    asked = _REQUESTS[work.task]
    per_request = _PER_REQUEST[backend] + (140.0 / max(asked, 1) if connection == "multi" else 0.0)
    cost += _PAGE_COST[work.task] * (1.3 if web == "japronto" else 1.0) + asked * per_request
    return cost * recipe.slowdown.get(who.name, 1.0), asked * _PER_REQUEST_IN_DATABASE[backend]


def _cell(
    recipe: Recipe, random: np.random.Generator, who: Contender, work: Work, speed: float
) -> Cell:
    web, database = _costs(recipe, who, work)
    blank = _blank(who, work)
    if recipe.faults and who.factors["connection"] == "multi" and work.task == "index":
        return blank
    noise = math.exp(random.normal(0, recipe.noise) - 0.09 * (random.random() < 0.05))
    capacity = 0.97e6 / web * speed * noise
    if work.load.rate is not None and work.load.rate > capacity:
        return late(blank)
    rate = work.load.rate or capacity
    histogram, mean = _latencies(random, capacity, rate, work.load)
    done = sum(count for _, count in histogram)
    middle, last = histogram[len(histogram) // 2][0], histogram[-1][0]
    p99 = percentile(histogram, 99.0) or last
    return replace(
        blank,
        status="ok",
        reason=None,
        saturated="generator" if recipe.faults and rate > 400_000 else "server",
        count=done,
        seconds=work.load.duration_s,
        throughput=done / work.load.duration_s,
        bytes=done * 900,
        errors={"connect": 0, "read": 0, "write": 0, "timeout": 0, "status": 0},
        latency_us={"mean": mean, "p50": middle, "p99": p99, "max": last},
        histogram=histogram,
        meters=_meters(random, done, web / speed / noise, database / speed),
        facts={"database_requests": _REQUESTS[work.task]},
    )


def _blank(who: Contender, work: Work) -> Cell:
    return records.cell(
        who.label,
        task=work.task,
        load=work.load,
        started_at="2026-11-20T20:45:00.000+00:00",
        reason="the page answered 503: no new connection within 2 s",
    )


def _meters(
    random: np.random.Generator, done: int, web: float, database: float
) -> dict[str, Figures]:
    """Microseconds are per request."""
    return {
        "cpu_ns": {
            "server": int(done * web * 1000),
            "database": int(done * database * 1000) + 900_000,
            "generator": int(done * 3.5 * 1000),
        },
        "switches": {"voluntary": int(done * 0.2), "involuntary": int(random.integers(9, 90))},
        "memory_bytes": {"server": int(5.6e7 + web * 1e5), "database": int(1.3e8)},
        "cores": {"steal": random.random() * 0.004, "foreign": random.random() * 0.02},
    }


def late(cell: Cell) -> Cell:
    """The cell of a contender that did not keep up with its fixed rate."""
    reason = f"did not keep up with {cell.load.rate:,.0f} requests/s: 9% errors"
    return failed(cell, "overloaded", reason)


def failed(cell: Cell, status: Status = "failed", reason: str = "dead") -> Cell:
    """The cell without its measurements."""
    kept = ("round", "order", "label", "task", "load", "started_at")
    place: Mapping[str, Any] = {name: getattr(cell, name) for name in kept}
    return Cell(**place, status=status, reason=reason)


def _latencies(
    random: np.random.Generator, capacity: float, rate: float, load: Load
) -> tuple[list[tuple[float, int]], float]:
    """A log-normal histogram in buckets 5 % wide: queues in a closed loop, M/M/1 in an open one."""
    under_way = load.connections * load.pipeline
    mean = 1e6 * under_way / rate
    if load.rate is not None:
        mean = 1e6 / capacity * (1 + 1 / max(0.02, 1 - rate / capacity))
    width = 0.28 if load.rate is None else 0.6
    edges = np.exp(math.log(mean) - width**2 / 2 + width * np.arange(-3.5, 4.51, 0.25))
    shares = np.diff(
        [0.0, *(0.5 * (1 + math.erf(z / 2**0.5)) for z in np.arange(-3.5, 4.51, 0.25))]
    )
    counts = random.multinomial(int(rate * load.duration_s), shares / shares.sum())
    return [(round(float(e), 1), int(c)) for e, c in zip(edges, counts, strict=True) if c], mean


def _spoil(cell: Cell) -> Cell:
    meters = {**cell.meters, "cores": {"steal": 0.034, "foreign": 0.0}}
    return replace(cell, status="invalid", reason="steal 3.4% is over 2.0%", meters=meters)


def _head(recipe: Recipe) -> Head:
    command = ["race", "run", recipe.scenario, "--rounds", str(recipe.rounds)]
    return Head(
        race=recipe.name,
        discipline=DISCIPLINE,
        scenario={
            "name": recipe.scenario,
            "title": "Everything the sticker article measured",
            "engines": list(recipe.engines),
            "pages": list(recipe.pages),
            "rounds": recipe.rounds,
        },
        seed=recipe.seed,
        started_at="2026-11-20T20:45:00.000+00:00",
        finished_at="2026-11-20T21:32:41.000+00:00" if recipe.finished else None,
        command=[*command, "--seed", str(recipe.seed)],
        environment=_environment(recipe),
        contenders=contenders(recipe),
        baseline=next((name for name in recipe.engines if name == BASELINE), recipe.engines[0]),
    )


def _environment(recipe: Recipe) -> Environment:
    servers = {"aiohttp": "3.14.5", "sanic": "25.12.1", "uvloop": "0.22.1"}
    slow = Build(
        pgo=False, lto=False, flags=["--enable-shared"], compiler="GCC 12.2.0", loop_us=412
    )
    drivers = {"asynctnt": "2.4.0", "asyncpg": "0.32.0"}
    current = Interpreter("3.13.0", {**servers, **drivers}, slow)
    old = Interpreter("3.7.16", {"japronto": "0.1.2", "uvloop": "0.18.0", "tarantool": "0.5.5"})
    return Environment(
        cpu="AMD EPYC 7B13",
        cores=2,
        kernel="Linux 6.1.0-13-amd64",
        memory_bytes=8_230_000_000,
        commit="0123456789abcdef0123456789abcdef01234567",
        dirty=False,
        hardware=Hardware(
            siblings=["0-1"],
            caches={"L3": "32768K of cores 0-1"},
            mitigations={"spectre_v2": "Mitigation: Retpolines"},
            hypervisor="KVM",
        ),
        probe=Probe(alone=1.5e7, beside=0.9e7),
        versions={"wrk": "4.1.0", "tarantool": "2.6.0", "postgres": "18.0"},
        interpreters={
            one.label: old if one.factors["web"] == "japronto" else current
            for one in contenders(recipe)
        },
    )
