"""One cell: the page checked, the server warmed up, the load driven, the figures judged."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from race.errors import CellFailed
from race.machine import meters
from race.plan.order import Block, Work
from race.run import rules as validity
from race.run.arena import Arena
from race.run.measure import Measured, drive
from race.run.warmup import Warm, warm_up
from race.saved.model import Cell, Load, Status
from race.web import counters, pages, servers
from race.web.load import Target
from race.web.servers import Server, own_interpreter


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
    """Measure one cell and judge it; a failure becomes a failed cell with its reason.

    Also returns fields beyond the published schema, for whoever doubts a cell.
    """
    cell = blank(place, server.python if server else place.block.contender.python)
    try:
        outcome = _measure(arena, server, place)
    except CellFailed as failure:
        return replace(cell, reason=str(failure)), {}
    verdict = _verdict(arena, outcome)
    cell = _filled(cell, outcome, server, arena.databases.pid(place.database))
    status: Status = "invalid" if verdict.reasons else "ok"
    cell = replace(cell, status=status, reason="; ".join(verdict.reasons) or None)
    return _persistent(arena, place, cell, verdict), _extra(outcome)


@dataclass(frozen=True)
class _Outcome:
    """A measured cell before it is judged: the load as it was driven, requests for each page."""

    measured: Measured
    load: Load
    database_requests: float | None = None
    warm: Warm | None = None


def _measure(arena: Arena, server: Server | None, place: Place) -> _Outcome:
    work, contender = place.work, place.block.contender
    path = pages.PAGES[work.page].path
    python = str(own_interpreter(contender.python) or sys.executable)
    target = Target(server.url if server else "", work.page, path, python)
    if server is None:
        return _Outcome(drive(arena, None, None, target, work.load), work.load)
    pages.verify(server.url, work.page)
    per_page = _database_requests(arena, place).get(work.page)
    warm = warm_up(arena, server, place.database, target, contender.label, work)
    load = replace(work.load, connections=warm.connections)
    votes = counters.votes(arena.databases, place.database, work.page)
    measured = drive(arena, server, place.database, target, load)
    pages.verify_after(server.url, work.page)
    now = counters.votes(arena.databases, place.database, work.page)
    counters.check_votes(votes, now, measured.sample)
    return _Outcome(measured, load, per_page, warm)


def _database_requests(arena: Arena, place: Place) -> dict[str, float]:
    """By page, counted once for each contender: on a server of its own, whose wire is tapped."""
    contender, scenario = place.block.contender, arena.scenario

    def start(env: Mapping[str, str]) -> Server:
        program = scenario.programs.get(contender.engine)
        return servers.start(contender, program, arena.cores.server, env=env)

    if contender.label not in arena.requests:
        served = [page for page in scenario.pages if pages.PAGES[page].path]
        arena.requests[contender.label] = counters.per_page(
            arena.databases, place.database, start, served
        )
    return arena.requests[contender.label]


def _extra(outcome: _Outcome) -> dict[str, Any]:
    found: dict[str, Any] = {"harness_ns": outcome.measured.harness_ns}
    if outcome.warm is not None:
        busy = outcome.measured.busy
        found["warm_up"] = {"windows": outcome.warm.windows, "agreed": outcome.warm.agreed}
        found["busy"] = {
            "server": round(busy.server, 3),
            "generator": round(busy.generator, 3),
            "database": round(busy.database, 3),
        }
    return found


def _filled(cell: Cell, outcome: _Outcome, server: Server | None, database: int | None) -> Cell:
    measured, sample = outcome.measured, outcome.measured.sample
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
        database_requests=outcome.database_requests,
        connections_used=outcome.load.connections, busy_connections=sample.busy_connections,
    )  # fmt: skip


def _verdict(arena: Arena, outcome: _Outcome) -> validity.Verdict:
    kind = arena.generator(outcome.load.generator)
    closed = kind.closed_loop and not kind.serverless
    measured = outcome.measured
    return validity.judge(
        arena.scenario.validity, measured.sample, outcome.load,
        measured.steal, measured.foreign, closed, measured.busy,
    )  # fmt: skip


def _persistent(arena: Arena, place: Place, cell: Cell, verdict: validity.Verdict) -> Cell:
    """What a contender does wrong twice is its own failure, not a reason to repeat the round.

    One that cannot serve a fixed rate has shown it at once, and that is a finding.
    """
    if not verdict.own_fault:
        return cell
    empty = replace(blank(place, cell.python), started_at=cell.started_at)
    if verdict.overloaded:
        late = f"did not keep up with {place.work.load.rate:,.0f} requests/s"
        return replace(empty, status="overloaded", reason=f"{late}: {cell.reason}")
    key = (place.block.contender.label, place.work)
    if key not in arena.faults:
        arena.faults.add(key)
        return cell
    return replace(empty, reason=f"again: {cell.reason}")
