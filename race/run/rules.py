"""When a measured cell counts: the rules of a scenario's [validity] table, applied to one cell."""

from __future__ import annotations

from dataclasses import dataclass

from race.plan.scenario import Validity
from race.saved.model import Load
from race.stats.little import expected, utilisation
from race.web.load.generator import Sample

SATURATED = 0.9
"""A core that idles less than a tenth of the time has no more to give: the rest is wake-ups."""


@dataclass(frozen=True)
class Busy:
    """Fractions of the time: how busy each party's core was, and the generator's own share of its.
    `database` is its core's, whoever uses it.
    """

    server: float
    generator: float
    database: float
    generator_own: float

    @property
    def nobody_saturated(self) -> bool:
        """More connections could raise the throughput."""
        return max(self.server, self.generator, self.database) < SATURATED


@dataclass(frozen=True)
class Verdict:
    """Why a cell is invalid, if it is; `own_fault` when not the machine did it, `overloaded` when
    it was offered a fixed rate and did not keep up.
    """

    reasons: tuple[str, ...] = ()
    own_fault: bool = False
    overloaded: bool = False


def judge(
    limits: Validity,
    sample: Sample,
    load: Load,
    steal: float,
    foreign: float,
    closed: bool,
    busy: Busy,
) -> Verdict:
    """Apply every rule; all reasons are named."""
    machine: list[str] = []
    if steal > limits.steal:
        machine.append(f"steal {steal:.1%} is over {limits.steal:.1%}")
    if foreign > limits.foreign:
        machine.append(f"foreign CPU {foreign:.1%} is over {limits.foreign:.1%}")
    own: list[str] = []
    share = sample.failed / max(1, sample.requests + sample.failed)
    if share > limits.errors:
        worst = max(sample.errors, key=lambda kind: sample.errors[kind])
        lost = f"{share:.2%} errors ({worst} most) are over {limits.errors:.2%}"
        # A generator at its limit does not send on time what is due at a fixed rate.
        (machine if generator_bound(busy) and load.rate is not None else own).append(lost)
    if sample.requests < limits.samples:
        own.append(f"{sample.requests} requests are too few samples (under {limits.samples})")
    # Pipelined, a server may not get round to all its connections before the end: libuv accepts one
    # for each turn of its loop, and a turn with hundreds of requests is long. The answers that came
    # are counted right; that latencies are missing is said in the report.
    if closed and load.pipeline == 1 and (odd := little(limits, sample, load)):
        # A generator without time to spare leaves answers lying: that is not the contender's fault.
        (machine if busy.generator >= SATURATED else own).append(odd)
    # On a machine that others keep busy the contender's own faults may be theirs.
    own_fault = bool(own) and not machine
    late = load.rate is not None and share > limits.errors
    return Verdict((*machine, *own), own_fault, own_fault and late)


def little(limits: Validity, sample: Sample, load: Load) -> str | None:
    """What is wrong by Little's law; None when it holds."""
    busy, mean = sample.busy_connections, sample.latency_us.get("mean")
    if busy is None or mean is None:
        return None
    if abs(utilisation(busy, load.connections, mean, sample.seconds) - 1) <= limits.little:
        return None
    must = expected(load.connections, mean, sample.seconds)
    return f"Little's law: {busy:.0f} connections were seen waiting where {must:.0f} must be"


def generator_bound(busy: Busy) -> bool:
    """Whether the generator was the limit: its core is full, mostly with itself, the server's not.

    With the server's core full as well the server is the limit, whoever else is busy.
    """
    return busy.generator >= SATURATED and busy.server < SATURATED and busy.generator_own >= 0.5
