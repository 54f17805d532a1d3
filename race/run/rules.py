"""When a measured cell counts: a scenario's limits, applied to one cell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from race.discipline import Sample
from race.run.measure import Measured
from race.saved.model import NOBODY, Figures, Limits, Load
from race.stats.little import expected, utilisation

SATURATED = 0.9
"""A core that idles less than a tenth of the time has no more to give: the rest is wake-ups."""

GENERATOR = "generator"


ANSWERED = 0.85
"""Pipelined: where fewer of the connections were being answered there is no latency."""

RAMP_SHARE = 0.05
"""Of a pipelined cell, at most so much is spent until every connection was answered once."""

MOST_DECIMALS = 12


CUT_SHARE = 0.025
"""At depth 1, of a cell's work at most so much is cut off by its end."""

IDLE_SHARE = 0.1
"""Fixed connections: of a cell, at most so much each waits for the others to end, on average."""


@dataclass(frozen=True)
class Judgement:
    """Why a cell is invalid, if it is.

    `own_fault` when not the machine did it, `overloaded` when it was offered a fixed rate or a
    user load and did not keep up, `too_slow` when it needs a longer cell.
    """

    reasons: tuple[str, ...] = ()
    own_fault: bool = False
    overloaded: bool = False
    too_slow: bool = False


def judge(limits: Limits, load: Load, measured: Measured) -> Judgement:
    """Apply every rule; all reasons are named."""
    sample = measured.sample
    machine = disturbances(limits, measured.meters["cores"])
    own: list[str] = []
    share = sample.failed / max(1, sample.count + sample.failed)
    if share > limits.errors:
        worst = max(sample.errors, key=lambda kind: sample.errors[kind])
        seen, allowed = apart(share, limits.errors, 2)
        lost = f"{seen} errors ({worst} most) are over {allowed}"
        # A generator at its limit does not send on time what is due, by the clock or by its users.
        late = not load.closed and bottleneck(measured).saturated == GENERATOR
        (machine if late else own).append(lost)
    few = sample.count < limits.samples
    if few:
        own.append(f"{sample.count} are too few samples (under {limits.samples})")
    # Pipelined, a server may not get round to all its connections before the end (`ramp_seconds`).
    # The answers that came are counted right; latencies are left out (`no_latency`).
    if load.closed and load.pipeline == 1 and (odd := little(limits, sample, load)):
        # A generator without time to spare leaves answers lying: that is not the contender's fault.
        starved = measured.meters["busy"].get(GENERATOR, 0.0) >= SATURATED
        (machine if starved else own).append(odd)
    # On a machine that others keep busy the contender's own faults may be theirs.
    own_fault = bool(own) and not machine
    overloaded = own_fault and not load.closed and share > limits.errors
    # Not even with what was lost would there be enough: it is too slow, whatever it says of it.
    too_slow = few and sample.count + sample.failed < limits.samples
    return Judgement((*machine, *own), own_fault, overloaded, too_slow)


def disturbances(limits: Limits, cores: Figures) -> list[str]:
    """What the machine did to a sample beside the race."""
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
    """Two fractions in percent, with as many more decimals as it takes to tell them apart."""
    while decimals < MOST_DECIMALS and f"{share:.{decimals}%}" == f"{limit:.{decimals}%}":
        decimals += 1
    return f"{share:.{decimals}%}", f"{limit:.{decimals}%}"


def little(limits: Limits, sample: Sample, load: Load) -> str | None:
    """What is wrong by Little's law; None when it holds."""
    busy, mean = sample.busy_connections, sample.latency_us.get("mean")
    if busy is None or mean is None:
        return None
    # A runner of fixed connections waits for what is under way at the end; a generator cuts it off.
    cut = 0.0 if load.fixed else mean
    if abs(utilisation(busy, load.connections, cut, sample.seconds) - 1) <= limits.little:
        return None
    must = expected(load.connections, cut, sample.seconds)
    return f"Little's law: {busy:.0f} connections were seen waiting where {must:.0f} must be"


def no_latency(sample: Sample, load: Load) -> str | None:
    """Why a pipelined sample has no latency; None when it has.

    Connections that were not answered are in no latency, and they are those that waited longest.
    """
    busy = sample.busy_connections
    if load.pipeline == 1 or busy is None or busy >= ANSWERED * load.connections:
        return None
    return f"{busy:.0f} of {load.connections} connections were being answered"


def ramp_seconds(load: Load, throughput: float) -> float:
    """How long until every pipelined connection was answered once, at the worst; 0 at depth 1.

    libuv accepts one connection for each turn of its loop, and in turn k answers a batch on each of
    k connections: c (c + 1) / 2 batches until all c are served. 100 connections, 24 deep, at 50,000
    a second take 2.4 s, 16 take 65 ms.
    """
    if load.pipeline == 1:
        return 0.0
    batches = load.connections * (load.connections + 1) / 2
    return batches * load.pipeline / max(throughput, 1e-9)


def cut_seconds(load: Load, throughput: float) -> float:
    """How long a closed loop at depth 1 works for what is in no count; 0 for others, and where the
    connections are fixed: what drives them waits for what is under way.

    A server that has an answer under way on every connection has done half of each, on average,
    when the end of the cell cuts it off.
    """
    if not load.fills or load.pipeline > 1:
        return 0.0
    return load.connections / 2 / max(throughput, 1e-9)


def idle_seconds(load: Load, throughput: float) -> float:
    """How long a fixed connection, done with its last operation, waits for the others' last: half
    an operation, on average. 0 for loads whose connections are not fixed.
    """
    return load.connections / 2 / max(throughput, 1e-9) if load.fixed else 0.0


def least_seconds(limits: Limits, load: Load, throughput: float) -> float:
    """How long a cell must last for enough samples, a ramp of no more than RAMP_SHARE of it, a cut
    of no more than CUT_SHARE and an end of no more than IDLE_SHARE; `throughput` is what was seen
    before.
    """
    samples = limits.samples / max(throughput, 1e-9)
    ramp = ramp_seconds(load, throughput) / RAMP_SHARE
    cut = cut_seconds(load, throughput) / CUT_SHARE
    return max(samples, ramp, cut, idle_seconds(load, throughput) / IDLE_SHARE)


def nobody_saturated(busy: Mapping[str, float]) -> bool:
    """More connections could raise the throughput."""
    return max(busy.values(), default=0.0) < SATURATED


class Bottleneck(NamedTuple):
    """Who was full: a party or NOBODY; None where that cannot be told, and `unknown` says why."""

    saturated: str | None
    unknown: str | None = None


def bottleneck(measured: Measured) -> Bottleneck:
    """Who had no more to give in a cell.

    The party under test when its cores are, whoever else is busy or cannot be seen. Else, of the
    parties whose own cores are full, the one that used most of them: generator and database may
    share a core. Nobody only where all parties were seen: one without a clock (`busy` has no
    fraction of it) may have been full while all others had time to spare.
    """
    busy, layout = measured.meters["busy"], measured.layout
    under_test = next(iter(layout), None)
    if under_test is None or not layout[under_test]:
        return Bottleneck(None, "nothing was pinned to cores")
    if busy.get(under_test, 0.0) >= SATURATED:
        return Bottleneck(under_test)
    crowded = [name for name in busy if busy[name] >= SATURATED]
    if any(layout[name] & layout[under_test] for name in crowded):
        return Bottleneck(None, f"a core was full that the {under_test} has a part in")
    if crowded:
        return Bottleneck(max(crowded, key=measured.meters["cpu_ns"].__getitem__))
    unseen = [name for name in layout if name not in busy]
    if unseen:
        return Bottleneck(None, f"the {' and the '.join(unseen)} could not be seen")
    return Bottleneck(NOBODY)
