"""One cell: the page checked, the server warmed up, the load driven, the figures judged."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from race import counters, meters, pages, validity
from race.arena import Arena
from race.errors import CellFailed
from race.load import Target
from race.measure import Measured, drive
from race.plan import Block, Work
from race.records import Cell, Load
from race.servers import Server, own_interpreter
from race.warmup import Warm, warm_up


@dataclass(frozen=True)
class Place:
    """Which cell of which block this is, and what serves it."""

    block: Block
    order: int
    work: Work
    database: str | None


def blank(place: Place, python: str) -> Cell:
    """The cell before anything is known: failed, without a number."""
    block = place.block
    return Cell(
        round=block.round, pass_=block.pass_, order=place.order, label=block.contender.label,
        engine=block.contender.engine, python=python, page=place.work.page, load=place.work.load,
        started_at=datetime.now(UTC).isoformat(timespec="milliseconds"), status="failed",
    )  # fmt: skip


def refused(place: Place, reason: str) -> tuple[Cell, dict[str, Any]]:
    """A cell that was not run, because its server does not start."""
    return replace(blank(place, place.block.contender.python), reason=reason), {}


def run(arena: Arena, server: Server | None, place: Place) -> tuple[Cell, dict[str, Any]]:
    """Measure one cell and judge it; a failure becomes a failed cell with its reason."""
    cell = blank(place, server.python if server else place.block.contender.python)
    try:
        measured, extra = _measure(arena, server, place)
    except CellFailed as failure:
        return replace(cell, reason=str(failure)), {}
    verdict = _verdict(arena, place, measured)
    cell = _filled(cell, measured, server, arena.databases.pid(place.database))
    per_page = extra.pop("database_requests")
    cell = replace(cell, database_requests=per_page, status="invalid" if verdict.reasons else "ok",
                   reason="; ".join(verdict.reasons) or None)  # fmt: skip
    return _persistent(arena, place, cell, verdict), extra


def _measure(arena: Arena, server: Server | None, place: Place) -> tuple[Measured, dict[str, Any]]:
    work, contender = place.work, place.block.contender
    path = pages.PAGES[work.page].path
    python = str(own_interpreter(contender.python) or sys.executable)
    target = Target(server.url if server else "", work.page, path, python)
    if server is None:
        measured = drive(arena, None, None, target, work.load)
        return measured, {"database_requests": None}
    pages.verify(server.url, work.page)
    warm = warm_up(arena, server, place.database, target, contender.label, work)
    load = replace(work.load, connections=warm.connections)
    counts = counters.read(arena.databases, place.database, work.page)
    measured = drive(arena, server, place.database, target, load)
    after = counters.read(arena.databases, place.database, work.page)
    pages.verify(server.url, work.page)
    counters.check_votes(counts, after, measured.sample)
    return measured, _extra(measured, warm, load, counters.per_page(counts, after, measured.sample))


def _extra(measured: Measured, warm: Warm, load: Load, per_page: float | None) -> dict[str, Any]:
    """Fields beyond the published schema."""
    busy = measured.busy
    return {
        "database_requests": per_page,
        "harness_ns": measured.harness_ns,
        "connections_used": load.connections,
        "warm_up": {"windows": warm.windows, "agreed": warm.agreed},
        "busy": {"server": round(busy.server, 3), "generator": round(busy.generator, 3),
                 "database": round(busy.database, 3)},
        "busy_connections": measured.sample.busy_connections,
    }  # fmt: skip


def _filled(cell: Cell, measured: Measured, server: Server | None, database: int | None) -> Cell:
    sample = measured.sample
    cpu = {"server": measured.server.cpu_ns, "generator": measured.generator_ns,
           "foreign": measured.foreign_ns}  # fmt: skip
    memory = {"server": meters.resident_bytes(server.child.pid) or 0} if server else {}
    if database is not None:
        cpu["database"] = measured.database.cpu_ns
        memory["database"] = meters.resident_bytes(database) or 0
    return replace(
        cell,
        generator_bound=validity.generator_bound(measured.busy) and server is not None,
        requests=sample.requests, seconds=sample.seconds, rps=sample.rps, bytes=sample.bytes,
        errors=sample.errors, latency_us=sample.latency_us, histogram=sample.histogram,
        cpu_ns=cpu, rss_bytes=memory,
        context_switches={"voluntary": measured.server.voluntary,
                          "involuntary": measured.server.involuntary},
        steal=measured.steal, foreign=measured.foreign,
    )  # fmt: skip


def _verdict(arena: Arena, place: Place, measured: Measured) -> validity.Verdict:
    load = place.work.load
    used = arena.connections.get((place.block.contender.label, place.work), load.connections)
    kind = arena.generator(load.generator)
    closed = kind.closed_loop and not kind.serverless
    return validity.judge(
        arena.scenario.validity, measured.sample, replace(load, connections=used),
        measured.steal, measured.foreign, closed,
    )  # fmt: skip


def _persistent(arena: Arena, place: Place, cell: Cell, verdict: validity.Verdict) -> Cell:
    """What a contender does wrong twice is its own failure, not a reason to repeat the round.

    One that cannot serve a fixed rate has shown it at once.
    """
    if not verdict.own_fault:
        return cell
    key = (place.block.contender.label, place.work)
    rate = place.work.load.rate
    if rate is None and key not in arena.faults:
        arena.faults.add(key)
        return cell
    why = "again" if rate is None else f"did not keep up with {rate:,.0f} requests/s"
    failed = replace(blank(place, cell.python), started_at=cell.started_at)
    return replace(failed, reason=f"{why}: {cell.reason}")
