"""Records of saved races with everything filled in that a test does not care about."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from race.saved.head import Environment, Head, OtherMachine
from race.saved.model import Cell, Contender, Discipline, Load
from race.saved.reader import CELLS_FILE, RUN_FILE

NOW = "2026-11-20T20:45:00"
LOAD = Load("wrk", 100)
SITE = Discipline(
    name="web",
    unit="requests",
    contender="engine",
    task="page",
    parties=["server", "generator", "database"],
    factors={"web": ["aiohttp", "sanic", "japronto"], "loop": ["asyncio", "uvloop"]},
    tasks={"index": "Index", "good": "Good", "bad": "Bad", "ugly": "Ugly", "about": "About"},
    headline="good",
)
TOOLS = Discipline(
    name="tools",
    unit="operations",
    contender="driver",
    task="operation",
    parties=["driver", "database"],
    factors={"driver": ["quick", "slow", "odd"], "loop": ["asyncio", "uvloop"]},
    tasks={"wide": "Wide rows", "ints": "Integers", "ping": "Ping"},
)
MACHINE = OtherMachine(
    name="load1",
    address="192.0.2.1",
    cpu="AMD EPYC 7B13",
    cores=8,
    pinned=[7],
    kernel="6.1.0",
    memory_bytes=8_230_000_000,
    python="3.11.2",
    versions={"wrk": "4.1.0"},
    clock_offset_us=-250.0,
    clock_uncertainty_us=40.0,
)


def contender(label: str, **more: Any) -> Contender:
    """A contender that is called what it is."""
    return Contender(label=label, **{"name": label, **more})


def head(*contenders: Contender, **more: Any) -> Head:
    """A head with these contenders, the last one the baseline."""
    least = {
        "race": "r",
        "discipline": SITE,
        "scenario": {"name": "x"},
        "seed": 3,
        "started_at": NOW,
        "command": ["race"],
        "environment": Environment(),
        "contenders": list(contenders),
        "baseline": contenders[-1].name,
    }
    return Head(**{**least, **more})


def cell(label: str = "a", **more: Any) -> Cell:
    """A failed cell, until more is said of it."""
    least = {
        "round": 1,
        "order": 0,
        "label": label,
        "task": "ugly",
        "load": LOAD,
        "started_at": NOW,
        "status": "failed",
        "reason": "why",
    }
    return Cell(**{**least, **more})


def driven(label: str, task: str, at_once: int, count: int, seconds: float, **more: Any) -> Cell:
    """A cell of TOOLS that counts: so many operations, `at_once` of them under way."""
    known = {
        "load": Load("runner", at_once, duration_s=0.5, fixed=True),
        "status": "ok",
        "reason": None,
        "saturated": "driver",
        "throughput": count / seconds,
    }
    return cell(label, task=task, count=count, seconds=seconds, **{**known, **more})


def write(folder: Path, head: Head, cells: Iterable[Cell] = ()) -> Path:
    """Save a race into a folder, which is made if it is missing, and give it back."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / RUN_FILE).write_bytes(msgspec.json.encode(head))
    (folder / CELLS_FILE).write_bytes(b"".join(msgspec.json.encode(one) + b"\n" for one in cells))
    return folder
