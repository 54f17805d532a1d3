"""When a measured cell counts: the rules of a scenario's [validity] table, applied to one cell."""

from __future__ import annotations

from dataclasses import dataclass

from race.load.generator import Sample
from race.records import Load
from race.scenario import Validity

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
    """Why a cell is invalid, if it is; `own_fault` when not the machine did it."""

    reasons: tuple[str, ...] = ()
    own_fault: bool = False


def judge(
    limits: Validity, sample: Sample, load: Load, steal: float, foreign: float, closed: bool
) -> Verdict:
    """Apply every rule; all reasons are named."""
    machine = []
    if steal > limits.steal:
        machine.append(f"steal {steal:.1%} is over {limits.steal:.1%}")
    if foreign > limits.foreign:
        machine.append(f"foreign CPU {foreign:.1%} is over {limits.foreign:.1%}")
    own = []
    share = sample.failed / max(1, sample.requests + sample.failed)
    if share > limits.errors:
        worst = max(sample.errors, key=lambda kind: sample.errors[kind])
        own.append(f"{share:.2%} errors ({worst} most) are over {limits.errors:.2%}")
    if sample.requests < limits.samples:
        own.append(f"{sample.requests} requests are too few samples (under {limits.samples})")
    # Pipelined, an unfair event loop starves whole batches beyond the end of a cell: their answers
    # are counted right, their latencies are missing, and the report says so.
    if closed and load.pipeline == 1 and (odd := little(limits, sample, load)):
        own.append(odd)
    # On a machine that others keep busy the contender's own faults may be theirs.
    return Verdict((*machine, *own), bool(own) and not machine)


def little(limits: Validity, sample: Sample, load: Load) -> str | None:
    """What is wrong by Little's law, L = lambda W; None when it holds.

    In a closed loop as many connections wait as are open.
    lambda W is the sum of all latencies over the duration (Little 1961, doi:10.1287/opre.9.3.383).
    What the end cuts off is in no latency: on average half a request for each connection.
    """
    busy, mean = sample.busy_connections, sample.latency_us.get("mean")
    if busy is None or mean is None:
        return None
    expected = load.connections * (1 - min(1.0, mean / 1e6 / sample.seconds) / 2)
    if abs(busy / expected - 1) <= limits.little:
        return None
    return f"Little's law: {busy:.0f} connections were seen waiting where {expected:.0f} must be"


def generator_bound(busy: Busy) -> bool:
    """Whether the generator was the limit: its core is full, mostly with itself, the server's not.

    With the server's core full as well the server is the limit, whoever else is busy.
    """
    return busy.generator >= SATURATED and busy.server < SATURATED and busy.generator_own >= 0.5
