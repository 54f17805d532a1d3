"""The form of a claim: one TOML file for each article (docs/claims/), every key a field here."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Annotated, NamedTuple

from msgspec import Meta, Struct
from msgspec.structs import replace

from race.saved.model import Name

Range = tuple[float, float]
"""What a ratio was claimed to be, from the least to the most; [1, 1] is a claim of no difference,
[3, inf] one of at least three times.
"""
Factor = Annotated[float, Meta(ge=1)]
FASTER: Range = (1.0, math.inf)
TOLERANCE = 1.1


class Claimed(NamedTuple):
    """A ratio as it was claimed, and the factor by which a figure may miss it and still be it."""

    ratio: Range
    tolerance: float = TOLERANCE


class Question(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How saved cells answer: in the runs of the scenario `race`, the contender `first` over
    `second`, or over itself on the task `against`.

    `tasks` are words as in a claim of a document (`measures.task_word`). Each is a row of its own,
    unless the geometric `mean` over them is asked for. `said`, `ratio` and `tolerance` are those of
    the claim where they are not its own here; `differs` says what is not as it was in the article.
    `fails`: what was claimed is that `first` cannot do the tasks.
    """

    race: Name
    tasks: Annotated[tuple[Name, ...], Meta(min_length=1)]
    first: Name
    second: str = ""
    against: str = ""
    mean: bool = False
    fails: bool = False
    said: str = ""
    ratio: Range | None = None
    tolerance: Factor | None = None
    differs: str = ""

    def __post_init__(self) -> None:
        if bool(self.second) == bool(self.against):
            raise ValueError("it needs either 'second' or 'against'")
        _check(self.ratio or FASTER)

    def rows(self) -> Iterator[tuple[str, ...]]:
        """The tasks of each row."""
        yield from [self.tasks] if self.mean else [(task,) for task in self.tasks]


class Claim(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A sentence of an article in our words, and what it says in figures, `said` for people and as
    a `ratio`; `here` is how it is held against saved cells, `untested` why it cannot be. `every`:
    it is of all its rows together, and holds where all of them do. `differs` is that of questions
    that have none.
    """

    text: Name
    said: Name
    ratio: Range = FASTER
    tolerance: Factor = TOLERANCE
    every: bool = False
    here: tuple[Question, ...] = ()
    untested: str = ""
    differs: str = ""

    def __post_init__(self) -> None:
        if bool(self.here) == bool(self.untested):
            raise ValueError("it needs either 'here' or 'untested'")
        _check(self.ratio)

    def of(self, question: Question) -> Claimed:
        """What it claims where one of its questions is asked."""
        return Claimed(question.ratio or self.ratio, question.tolerance or self.tolerance)


class Article(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`place` is its place on the page, `source` who published it when, `conditions` on what it
    was measured there; `differs` is true of all rows.
    """

    title: Name
    source: Name
    conditions: Name
    claims: Annotated[tuple[Claim, ...], Meta(min_length=1)]
    place: int = 0
    differs: str = ""

    def questions(self) -> Iterator[Question]:
        """Of all its claims."""
        for claim in self.claims:
            yield from claim.here

    def about(self, race: str) -> Article | None:
        """What of it asks for the runs of one scenario; None where nothing does."""
        asked = ((claim, [one for one in claim.here if one.race == race]) for claim in self.claims)
        found = tuple(replace(claim, here=tuple(here)) for claim, here in asked if here)
        return replace(self, claims=found) if found else None


def _check(ratio: Range) -> None:
    """Below 1 is only what something costs at most: of figures the faster is named first."""
    least, most = ratio
    if not 0 < least <= most or (least < 1 and math.isfinite(most)):
        raise ValueError(f"a ratio goes from 1 or more up, not from {least:g} to {most:g}")
