"""Judges a measured cell by the limits of its scenario, and names the party that was saturated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from race.discipline import Sample
from race.run.measure import Measurement
from race.saved.model import GENERATOR, NOBODY, SATURATED, Figures, Limits, Load
from race.stats.little import expected, utilisation

ANSWERED = 0.85
"""The share of pipelined connections that must have been answered for a cell to have a latency."""

RAMP_SHARE = 0.05
"""The largest part of a pipelined cell that may pass until each connection was answered once."""

MOST_DECIMALS = 12


CUT_SHARE = 0.025
"""The largest part of the work of a cell at depth 1 that its end may cut off."""

IDLE_SHARE = 0.1
"""The largest part of a cell with fixed connections that one may wait for the others' end."""


NEARLY_SATURATED = 0.8
"""The share of its core from which a generator may read answers too late. Where wrk and a server
of 130,000 requests/s broke Little's law, wrk's core was 84 to 92 % busy."""


@dataclass(frozen=True)
class Judgement:
    """The reasons why a cell is invalid; none if it is valid.

    `own_fault`: the contender caused it, not the machine. `overloaded`: it did not keep up with a
    fixed rate or a user load. `too_slow`: it needs a longer cell.
    """

    reasons: tuple[str, ...] = ()
    own_fault: bool = False
    overloaded: bool = False
    too_slow: bool = False


def judge(limits: Limits, load: Load, measured: Measurement) -> Judgement:
    """Apply every rule and return all reasons."""
    sample = measured.sample
    machine = disturbances(limits, measured.meters["cores"])
    own = list(sample.problems)
    share = sample.failed / max(1, sample.count + sample.failed)
    if share > limits.errors:
        worst = max(sample.errors, key=lambda kind: sample.errors[kind])
        seen, allowed = apart(share, limits.errors, 2)
        lost = f"{seen} errors ({worst} most) are over {allowed}"
        # A saturated generator sends too late what is due by the clock or by its users.
        late = not load.closed and bottleneck(measured).saturated == GENERATOR
        (machine if late else own).append(f"{lost}: the generator was saturated" if late else lost)
    few = sample.count < limits.samples
    if few:
        own.append(f"{sample.count} are too few samples (under {limits.samples})")
    # Pipelined, a server may not get round to all its connections before the end (`ramp_seconds`).
    # The answers that came are counted right; latencies are left out (`no_latency`).
    if load.closed and load.pipeline == 1 and (odd := little(limits, sample, load)):
        # A generator without time to spare reads answers too late: not the contender's fault.
        used = measured.meters["busy"].get(GENERATOR, 0.0)
        if used < NEARLY_SATURATED:
            own.append(odd)
        else:
            machine.append(f"{odd}: a fault of the generator, whose core was {used:.0%} busy")
    # On a disturbed machine the disturbance may have caused the contender's faults.
    own_fault = bool(own) and not machine
    overloaded = own_fault and not load.closed and share > limits.errors
    # Even with the failed requests there are too few samples: the contender needs a longer cell.
    too_slow = few and sample.count + sample.failed < limits.samples
    return Judgement((*machine, *own), own_fault, overloaded, too_slow)


def disturbances(limits: Limits, cores: Figures) -> list[str]:
    """Return what the machine did to a sample: time taken by its host or by other programs."""
    shares = (
        ("steal", cores["steal"], limits.steal),
        ("foreign CPU", cores["foreign"], limits.foreign),
    )
    return [
        "{} {} is over {}".format(what, *apart(share, limit))
        for what, share, limit in shares
        if share > limit
    ]


def apart(share: float, limit: float, decimals: int = 1) -> tuple[str, str]:
    """Return two fractions in percent, with enough decimals to tell them apart."""
    while decimals < MOST_DECIMALS and f"{share:.{decimals}%}" == f"{limit:.{decimals}%}":
        decimals += 1
    return f"{share:.{decimals}%}", f"{limit:.{decimals}%}"


def little(limits: Limits, sample: Sample, load: Load) -> str | None:
    """Return what contradicts Little's law in a sample; None if it holds."""
    busy, mean = sample.busy_connections, sample.latency_us.get("mean")
    if busy is None or mean is None:
        return None
    # At the end a generator cuts off what is under way; a runner of fixed connections waits.
    cut = 0.0 if load.fixed else mean
    if abs(utilisation(busy, load.connections, cut, sample.seconds) - 1) <= limits.little:
        return None
    must = expected(load.connections, cut, sample.seconds)
    return f"Little's law: {busy:.0f} connections were seen waiting where {must:.0f} must be"


def no_latency(sample: Sample, load: Load) -> str | None:
    """Return why a pipelined sample has no latency; None if it has one.

    Connections that were never answered are missing in it, and they waited longest.
    """
    busy = sample.busy_connections
    if load.pipeline == 1 or busy is None or busy >= ANSWERED * load.connections:
        return None
    return f"{busy:.0f} of {load.connections} connections were being answered"


def ramp_seconds(load: Load, throughput: float) -> float:
    """Return how long it takes at worst until every pipelined connection was answered once.

    libuv accepts one connection for each turn of its loop, and in turn k answers a batch on each of
    k connections: c (c + 1) / 2 batches until all c are served. 100 connections, 24 deep, at 50,000
    a second take 2.4 s, 16 take 65 ms.
    """
    if load.pipeline == 1:
        return 0.0
    batches = load.connections * (load.connections + 1) / 2
    return batches * load.pipeline / max(throughput, 1e-9)


def cut_seconds(load: Load, throughput: float) -> float:
    """Return how long a server works on answers that the end of a cell cuts off.

    At the end it has done half an answer on every connection, on average. Only closed loops at
    depth 1 are cut off like this; a runner of fixed connections waits for its last operations.
    """
    if not load.fills or load.pipeline > 1:
        return 0.0
    return load.connections / 2 / max(throughput, 1e-9)


def idle_seconds(load: Load, throughput: float) -> float:
    """Return how long a fixed connection waits for the last operations of the others.

    That is half an operation on average, and 0 for loads whose connections are not fixed.
    """
    return load.connections / 2 / max(throughput, 1e-9) if load.fixed else 0.0


def least_seconds(limits: Limits, load: Load, throughput: float) -> float:
    """Return how many seconds a cell must last at an expected throughput.

    It needs enough samples, and its ramp, its cut-off work and the wait at its end must be no more
    than RAMP_SHARE, CUT_SHARE and IDLE_SHARE of it.
    """
    samples = limits.samples / max(throughput, 1e-9)
    ramp = ramp_seconds(load, throughput) / RAMP_SHARE
    cut = cut_seconds(load, throughput) / CUT_SHARE
    return max(samples, ramp, cut, idle_seconds(load, throughput) / IDLE_SHARE)


def nobody_saturated(busy: Mapping[str, float]) -> bool:
    """Return whether no party is saturated, so that more connections could raise the throughput."""
    return max(busy.values(), default=0.0) < SATURATED


class Bottleneck(NamedTuple):
    """The saturated party, or NOBODY; None if it is unknown, and `unknown` says why."""

    saturated: str | None
    unknown: str | None = None


def bottleneck(measured: Measurement) -> Bottleneck:
    """Return the party that was saturated in a cell.

    If the cores of the party under test were saturated, it is named, whatever the others did
    (`Cell.limit` adds a saturated generator). Otherwise it is the saturated party that used most
    CPU time, since generator and database may share a core. If no party was saturated but one
    could not be observed (`busy` has no figure of it), the limit is unknown, because that one may
    have been.
    """
    busy, layout = measured.meters["busy"], measured.layout
    under_test = next(iter(layout), None)
    if under_test is None or not layout[under_test]:
        return Bottleneck(None, "nothing was pinned to cores")
    if busy.get(under_test, 0.0) >= SATURATED:
        return Bottleneck(under_test)
    saturated = [name for name in busy if busy[name] >= SATURATED]
    if any(layout[name] & layout[under_test] for name in saturated):
        return Bottleneck(None, f"a core was saturated that the {under_test} shares")
    if saturated:
        return Bottleneck(max(saturated, key=measured.meters["cpu_ns"].__getitem__))
    unseen = [name for name in layout if name not in busy]
    if unseen:
        return Bottleneck(None, f"the {' and the '.join(unseen)} could not be seen")
    return Bottleneck(NOBODY)
