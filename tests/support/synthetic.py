"""Invented races with the shape of real ones, for the tests of statistics and reports.

Rates follow orders of magnitude seen on two cores; noise, drift, a rejected round, a failing engine
and a generator-bound page are put in on purpose.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from race.saved.model import Cell, Contender, Head, Load, Rejected
from race.saved.reader import CELLS_FILE, RUN_FILE

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
PAGES = ("index", "good", "bad", "ugly", "about")
BASELINE = "aiohttp-tarantool-one"

# CPU microseconds of the web server per request, and database requests, by page.
_WEB = {"aiohttp": 75.0, "sanic": 30.0, "japronto": 5.5}
_PAGE_COST = {"index": 30.0, "good": 28.0, "bad": 28.0, "ugly": 0.0, "about": 9.0, "vote": 60.0}
_REQUESTS = {"index": 8.0, "good": 3.0, "bad": 3.0, "ugly": 0.0, "about": 0.0, "vote": 12.0}
_PER_REQUEST = {"tarantool": 11.0, "postgres": 24.0, "memory": 0.4}
_PER_REQUEST_IN_DATABASE = {"tarantool": 4.0, "postgres": 21.0, "memory": 0.0}


@dataclass(frozen=True)
class Recipe:
    """What to invent. `slowdown` multiplies the cost of the engines that it names."""

    name: str = "20261120-204500-article"
    scenario: str = "article"
    engines: Sequence[str] = ARTICLE
    pages: Sequence[str] = PAGES
    rounds: int = 12
    depths: Sequence[int] = (24,)
    rates: Sequence[float] = ()
    seed: int = 20261120
    noise: float = 0.025
    faults: bool = True
    finished: bool = True
    slowdown: dict[str, float] = field(default_factory=dict)
    cpu: str = "AMD EPYC 7B13"


def write(folder: Path, recipe: Recipe | None = None) -> Path:
    """Write run.json and cells.jsonl into `folder`, which it makes, and give it back."""
    recipe = recipe or Recipe()
    folder.mkdir(parents=True, exist_ok=True)
    (folder / RUN_FILE).write_text(json.dumps(_head(recipe).as_json(), indent=1))
    lines = (json.dumps(cell.as_json(), separators=(",", ":")) for cell in cells(recipe))
    (folder / CELLS_FILE).write_text("".join(line + "\n" for line in lines))
    return folder


def contenders(recipe: Recipe) -> list[Contender]:
    """One for each engine, and the A/A twin of the first that is named like the baseline."""
    found = [Contender(name, name, _python(name)) for name in recipe.engines]
    original = next((one for one in found if one.label == BASELINE), found[0])
    return [*found, replace(original, label=f"{original.label} (A/A)", aa=True)]


def cells(recipe: Recipe) -> Iterator[Cell]:
    random = np.random.default_rng(recipe.seed)
    bad_round = 5 if recipe.faults else 0
    for number in range(1, recipe.rounds + (2 if recipe.faults else 1)):
        speed = math.exp(random.normal(0, 0.06))
        order = list(random.permutation(len(recipe.engines) + 1))
        for pass_, sequence in (("forward", order), ("reverse", order[::-1])):
            place = 0
            for index in sequence:
                for page, load in _works(recipe):
                    spoiled = number == bad_round and (pass_, place) == ("reverse", 17)
                    contender = contenders(recipe)[index]
                    cell = _cell(recipe, random, contender, page, load, speed)
                    cell = replace(cell, round=number, pass_=pass_, order=place)
                    yield _spoil(cell) if spoiled else cell
                    place += 1


def _works(recipe: Recipe) -> Iterator[tuple[str, Load]]:
    for page in recipe.pages:
        yield page, Load("wrk", 100)
        if page in ("ugly", "about"):
            yield from ((page, Load("wrk", 100, pipeline=depth)) for depth in recipe.depths)
        if page in ("index", "good", "bad"):
            yield from ((page, Load("oha", 100, rate=rate)) for rate in recipe.rates)


def _python(engine: str) -> str:
    return "3.7.16" if engine.startswith("japronto") else "3.13.0"


def _costs(recipe: Recipe, engine: str, page: str, pipeline: int) -> tuple[float, float]:
    """CPU microseconds per request of the web server and of the database."""
    web, backend, connection = engine.split("-")[:3]
    cost = _WEB[web] * (0.78 if engine.endswith("-uvloop") and web != "japronto" else 1.0)
    cost /= 1 if pipeline == 1 else min(pipeline, 24) ** {"japronto": 0.7}.get(web, 0.12)
    asked = _REQUESTS[page]
    per_request = _PER_REQUEST[backend] + (140.0 / max(asked, 1) if connection == "multi" else 0.0)
    cost += _PAGE_COST[page] * (1.3 if web == "japronto" else 1.0) + asked * per_request
    return cost * recipe.slowdown.get(engine, 1.0), asked * _PER_REQUEST_IN_DATABASE[backend]


def _cell(
    recipe: Recipe, random: np.random.Generator, who: Contender, page: str, load: Load, speed: float
) -> Cell:
    web, database = _costs(recipe, who.engine, page, load.pipeline)
    blank = Cell(
        0, "", 0, who.label, who.engine, who.python, page, load, "2026-11-20T20:45:00.000+00:00",
        "failed",
    )  # fmt: skip
    if recipe.faults and who.engine.endswith("-multi") and page == "index":
        return replace(blank, reason="the page answered 503: no new connection within 2 s")
    noise = math.exp(random.normal(0, recipe.noise) - 0.09 * (random.random() < 0.05))
    capacity = 0.97e6 / web * speed * noise
    if load.rate is not None and load.rate > capacity:
        return late(replace(blank, load=load))
    rps = load.rate or capacity
    requests = int(rps * load.duration_s)
    histogram, mean = _latencies(random, capacity, rps, load, requests)
    done = sum(count for _, count in histogram)
    return replace(
        blank,
        status="ok",
        generator_bound=recipe.faults and rps > 400_000,
        requests=done,
        seconds=load.duration_s,
        rps=done / load.duration_s,
        bytes=done * 900,
        errors={"connect": 0, "read": 0, "write": 0, "timeout": 0, "status": 0},
        latency_us={
            "mean": mean,
            "p50": histogram[len(histogram) // 2][0],
            "max": histogram[-1][0],
        },
        histogram=histogram,
        cpu_ns={
            "server": int(done * web * 1000 / speed),
            "database": int(done * database * 1000 / speed) + 900_000,
            "generator": int(done * 3.5 * 1000),
            "foreign": int(2e7 * random.random()),
        },
        context_switches={"voluntary": int(done * 0.2), "involuntary": int(random.integers(9, 90))},
        rss_bytes={"server": int(5.6e7 + web * 1e5), "database": int(1.3e8)},
        steal=float(random.random() * 0.004),
        foreign=float(random.random() * 0.02),
        database_requests=_REQUESTS[page],
    )


def late(cell: Cell) -> Cell:
    """The cell of a contender that did not keep up with its fixed rate."""
    reason = f"did not keep up with {cell.load.rate:,.0f} requests/s: 9% errors"
    place = (cell.round, cell.pass_, cell.order, cell.label, cell.engine, cell.python, cell.page)
    return Cell(*place, cell.load, cell.started_at, "overloaded", reason)


def _latencies(
    random: np.random.Generator, capacity: float, rps: float, load: Load, requests: int
) -> tuple[list[tuple[float, int]], float]:
    """A log-normal histogram in buckets 5 % wide: queues in a closed loop, M/M/1 in an open one."""
    under_way = load.connections * load.pipeline
    mean = 1e6 * under_way / rps
    if load.rate is not None:
        mean = 1e6 / capacity * (1 + 1 / max(0.02, 1 - rps / capacity))
    width = 0.28 if load.rate is None else 0.6
    edges = np.exp(math.log(mean) - width**2 / 2 + width * np.arange(-3.5, 4.51, 0.25))
    shares = np.diff(
        [0.0, *(0.5 * (1 + math.erf(z / 2**0.5)) for z in np.arange(-3.5, 4.51, 0.25))]
    )
    counts = random.multinomial(requests, shares / shares.sum())
    return [(round(float(e), 1), int(c)) for e, c in zip(edges, counts, strict=True) if c], mean


def _spoil(cell: Cell) -> Cell:
    return replace(cell, status="invalid", reason="steal 3.4% is over 2.0%", steal=0.034)


def _head(recipe: Recipe) -> Head:
    current = {
        "aiohttp": "3.14.5",
        "sanic": "25.12.1",
        "uvloop": "0.22.1",
        "asynctnt": "2.4.0",
        "asyncpg": "0.32.0",
    }
    old = {"japronto": "0.1.2", "uvloop": "0.18.0", "asynctnt": "2.4.0"}
    return Head(
        run=recipe.name,
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
        command=["race", "run", recipe.scenario, "--rounds", str(recipe.rounds),
                 "--seed", str(recipe.seed)],
        environment={
            "cpu": recipe.cpu,
            "cores": 2,
            "kernel": "Linux 6.1.0-13-amd64",
            "memory_bytes": 8_230_000_000,
            "governor": None,
            "commit": "0123456789abcdef0123456789abcdef01234567",
            "dirty": False,
            "versions": {"wrk": "4.1.0", "tarantool": "2.6.0", "postgres": "18.0"},
            "interpreters": {
                "3.13": {"python": "3.13.0", "packages": current},
                "3.7": {"python": "3.7.16", "packages": old},
            },
        },
        contenders=contenders(recipe),
        baseline=next((name for name in recipe.engines if name == BASELINE), recipe.engines[0]),
        rejected=[Rejected(5, "steal 3.4% is over 2.0%")] if recipe.faults else [],
    )  # fmt: skip
