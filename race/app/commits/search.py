"""The search for the commit from which on an application is slower, apart from how it is raced.

The commits from GOOD to BAD are halved as `git bisect` does, but no half is chosen by the limit: a
candidate is raced against both ends of what is left, and the half is searched that holds the larger
slowdown, once that is shown to be one. A wrong turn ends at a commit that is not slower than its
parent, which a race of its own shows at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from race.errors import RaceError
from race.stats.estimate import Estimate

TRIES = 3
"""A candidate is raced so often at most, each time for twice the rounds; a known half ends it."""


class Skipped(RaceError):
    """A candidate cannot be raced."""


@dataclass(frozen=True, slots=True)
class Halves:
    """The slowdowns (log scale) from the older end to a candidate, and from there to the newer."""

    older: Estimate | None
    newer: Estimate | None

    @property
    def first(self) -> bool | None:
        """Return whether the older half has the larger slowdown; None while that is not shown."""
        if not (self.older and self.newer):
            return None
        larger = max(self.older, self.newer, key=lambda one: one.value)
        return larger is self.older if larger.low > 0 else None

    @property
    def both(self) -> bool:
        """Return whether both halves are shown to have a slowdown."""
        return all(one is not None and one.low > 0 for one in (self.older, self.newer))


Judge = Callable[[str, str, str, int], Halves]
"""Races an older end, a candidate and a newer end; the last is the number of the try."""


@dataclass
class Found:
    """The commits that are left: the first is not slower, the last is; `skipped` with reasons.

    `undecided` is a candidate whose half could not be told. `several`: others made it slower, too.
    """

    left: list[str]
    skipped: dict[str, str] = field(default_factory=dict)
    undecided: str = ""
    several: bool = False

    @property
    def named(self) -> str | None:
        """The commit, if only one is left besides the one before it."""
        return self.left[-1] if len(self.left) == 2 else None


def search(commits: Sequence[str], judge: Judge) -> Found:
    """Search from the first commit to the last, of which the last is known to be slower.

    Commits that cannot be raced (`Skipped`) are left out, as `git bisect skip` does.
    """
    found = Found(list(commits))
    while candidate := _middle(found):
        try:
            halves = _judged(found, candidate, judge)
        except Skipped as error:
            found.skipped[candidate] = str(error)
            continue
        if halves.first is None:
            found.undecided = candidate
            return found
        found.several |= halves.both
        at = found.left.index(candidate)
        found.left = found.left[: at + 1] if halves.first else found.left[at:]
    return found


def _middle(found: Found) -> str | None:
    """Return the candidate nearest to the middle; None where only the ends can be raced."""
    middle = (len(found.left) - 1) / 2
    able = [at for at in range(1, len(found.left) - 1) if found.left[at] not in found.skipped]
    return found.left[min(able, key=lambda at: abs(at - middle))] if able else None


def _judged(found: Found, candidate: str, judge: Judge) -> Halves:
    """Race a candidate until its half is known, or `TRIES` times."""
    halves = Halves(None, None)
    for number in range(TRIES):
        halves = judge(found.left[0], candidate, found.left[-1], number)
        if halves.first is not None:
            break
    return halves
