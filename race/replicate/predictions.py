"""The ten claims of docs/results/predictions.toml: what was published, and what is predicted."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Literal

from msgspec import Meta, Struct

from race.analysis.pairing import Run, pairing
from race.errors import RaceError, unknown
from race.paths import PUBLISHED
from race.plan.read import converted, toml
from race.report.claims.pairs import comparisons
from race.saved.model import Name
from race.stats.estimate import Estimate

PREDICTIONS = PUBLISHED / "predictions.toml"
TWIN, PLANTED = "aa", "planted"
"""The claims about the race itself: the same code twice, and a slowdown that is put in."""
SHARE = 0.1
"""The share that the planted slowdown takes: its ratio is 0.9."""
ROUNDS = 48
"""The rounds of a replication, where no other number is asked for."""

Limits = tuple[float, float]
FindRun = Callable[[str], Run]


class Claim(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A ratio of the rates of `first` and `second` on a page, and its predicted interval.

    `here` are the engines that are raced in place of those two, where an engine without a database
    runs the same code. `runs` are the published runs that the printed ratio is of, `also` the
    others that have the pair. `seen` are the least and the largest ratio of the runs that were
    published when the prediction was made. `predicted` is the interval for a new machine: `seen`,
    divided and multiplied by `widen`, for the reason `why`.
    `scenario` has the programs of the pair. `goal` is the least ratio that we aim at.
    """

    id: Name
    question: Name
    first: Name
    second: Name
    here: tuple[Name, Name] | None = None
    page: Name
    pipeline: Annotated[int, Meta(ge=1)] = 1
    connections: Annotated[int, Meta(ge=1)]
    direction: Literal["faster", "slower", "equal"]
    predicted: Limits
    runs: tuple[Name, ...] = ()
    also: tuple[Name, ...] = ()
    seen: Limits = (1.0, 1.0)
    widen: Limits = (1.0, 1.0)
    why: Name
    scenario: str = ""
    goal: float | None = None

    def __post_init__(self) -> None:
        low, high = self.predicted
        if not 0 < low < high:
            raise ValueError(f"'predicted' of {self.id} is no interval: [{low:g}, {high:g}]")
        if min(self.widen) < 1:
            raise ValueError(f"'widen' of {self.id} makes its interval narrower")

    @property
    def pair(self) -> tuple[str, str]:
        """The two contenders of a replication."""
        return self.here or (self.first, self.second)

    @property
    def task(self) -> str:
        """The page and its pipelining as a claim of a document names them."""
        return self.page if self.pipeline == 1 else f"{self.page}:x{self.pipeline}"

    @property
    def of_the_race(self) -> bool:
        """Return whether it is about the race itself, so that no published pair is behind it."""
        return self.id in (TWIN, PLANTED)

    def published(self, find: FindRun) -> dict[str, Estimate]:
        """Return the ratio in each published run that has one."""
        found = {}
        for name in () if self.of_the_race else (*self.runs, *self.also):
            run = find(name)
            (comparison,) = comparisons([run], self.task)
            if ratio := pairing(run, comparison, self.first, self.second).ratio:
                found[name] = ratio
        return found

    def expected(self) -> Limits:
        """Return the interval for a new machine, as `predicted` has it but not rounded."""
        return self.seen[0] / self.widen[0], self.seen[1] * self.widen[1]


class Predictions(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The file: its claims in their order."""

    claims: Annotated[tuple[Claim, ...], Meta(min_length=1)]


def read(path: Path = PREDICTIONS) -> dict[str, Claim]:
    """Return the claims by id; RaceError in one line for a wrong file."""
    if not path.exists():
        raise RaceError(f"no predictions in {path}: replicate from a clone of the repository")
    claims = converted(toml(path), Predictions, path.name, f"key of {path.name}").claims
    found = {claim.id: claim for claim in claims}
    if len(found) < len(claims):
        raise RaceError(f"{path.name}: two claims have the same id")
    return found


def find(name: str) -> Claim:
    """Return a claim by its id; RaceError with the nearest ones for an unknown one."""
    claims = read()
    if name not in claims:
        raise unknown("claim", name, claims)
    return claims[name]
