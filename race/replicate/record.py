"""A replication as it is saved and published: one small JSON file."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct

from race.errors import RaceError
from race.replicate.predictions import Limits
from race.saved.head import Interpreter
from race.saved.model import Count, Name, Positive, Time
from race.stats.estimate import Estimate, show_interval

MOST_BYTES = 8192
"""The largest file that is read: a replication has a few kB."""
Outcome = Literal["holds", "does not hold", "cannot say"]
HOLDS: Outcome = "holds"
FAILS: Outcome = "does not hold"
OPEN: Outcome = "cannot say"
Commit = Annotated[str, Meta(pattern=r"^[0-9a-f]{40}$")]


class Ratio(Struct, frozen=True, forbid_unknown_fields=True):
    """A ratio of rates with its 95 % interval."""

    ratio: Positive
    low: Positive
    high: Positive

    @classmethod
    def of(cls, estimate: Estimate | None) -> Ratio | None:
        """Return an estimate as a ratio; None without an interval."""
        if estimate is None or not estimate.bounded:
            return None
        low, value, high = (math.exp(x) for x in (estimate.low, estimate.value, estimate.high))
        return cls(round(value, 6), round(low, 6), round(high, 6))

    def estimate(self, rounds: int) -> Estimate:
        """Return the logarithms."""
        return Estimate(math.log(self.ratio), math.log(self.low), math.log(self.high), rounds)

    def __str__(self) -> str:
        return " ".join(show_interval(self.ratio, self.low, self.high))


class Seen(Struct, frozen=True, forbid_unknown_fields=True):
    """A contender as it was seen: its median requests/s, and the party that was saturated."""

    rate: Positive
    saturated: str | None
    rounds: Count


class Machine(Struct, frozen=True, forbid_unknown_fields=True):
    """The machine of a replication."""

    cpu: Name
    cores: Annotated[int, Meta(ge=1, le=4096)]
    kernel: Name
    hypervisor: str | None


class Replication(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A claim as one machine sees it.

    `ratio` is that of the claim, `twin` that of the A/A twin, `planted` that of the planted
    slowdown; None is what has no interval. `margin` is the A/A margin as a factor. `obstacle` says
    why the ratio does not count, such as a lower bound. `outcome` and `reason` follow from these.
    """

    schema: Literal[1] = 1
    claim: Name
    predicted: Limits
    outcome: Outcome
    reason: str
    ratio: Ratio | None
    twin: Ratio | None
    planted: Ratio | None
    margin: Annotated[float, Meta(ge=1)] | None
    obstacle: str
    page: Name
    pipeline: Annotated[int, Meta(ge=1)]
    connections: Annotated[int, Meta(ge=1)]
    rounds: Annotated[int, Meta(ge=0, le=10_000)]
    seed: int
    started_at: Time
    contenders: dict[str, Seen]
    machine: Machine
    interpreters: dict[str, Interpreter]
    versions: dict[str, str]
    commit: Commit | None
    dirty: bool | None

    def text(self) -> str:
        """Return the file's content."""
        return msgspec.json.format(msgspec.json.encode(self), indent=1).decode() + "\n"


def read(path: Path) -> Replication:
    """Return a saved replication; RaceError in one line where the file is none."""
    try:
        with path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise RaceError(f"cannot read {path}: {error.strerror}") from None
    if len(content) > MOST_BYTES:
        raise RaceError(f"{path}: no replication has more than {MOST_BYTES:,} bytes")
    try:
        return msgspec.json.decode(content, type=Replication)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise RaceError(f"{path}: {error}") from None
