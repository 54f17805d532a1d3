"""The claims of an article: one TOML file in docs/claims/, every key a field here."""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, NamedTuple

from msgspec import Meta, Struct
from msgspec.structs import replace

from race.errors import RaceError, unknown
from race.plan.read import converted, toml
from race.report.claims.measures import MEASURES
from race.saved.model import Name

Range = tuple[float, float]
"""The least and the largest ratio that was claimed: [1, 1] claims no difference, [3, inf] at least
three times.
"""
Factor = Annotated[float, Meta(ge=1)]
FASTER: Range = (1.0, math.inf)
TOLERANCE = 1.1


class Claimed(NamedTuple):
    """A ratio as it was claimed, and the factor by which an estimate may miss it."""

    ratio: Range
    tolerance: float = TOLERANCE


class Question(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The comparison that answers a claim, in the runs of the scenario `race`.

    It is of the contender `first` over `second`, or over itself on the task `against`. `tasks` are
    words as in a claim of a document (`pairs.task_word`). Each is a row of its own, or all are one
    row with their geometric `mean`. `said`, `ratio` and `tolerance` replace those of the claim;
    `differs` says what is measured otherwise than in the article. With `fails`, the claim is that
    `first` cannot do the tasks. With a `measure` (`measures.MEASURES`, and the words that it takes
    after the contender), a figure of `first` is shown beside the article's, and nothing is judged.
    """

    race: Name
    tasks: Annotated[tuple[Name, ...], Meta(min_length=1)]
    first: Name
    second: str = ""
    against: str = ""
    mean: bool = False
    fails: bool = False
    measure: str = ""
    said: str = ""
    ratio: Range | None = None
    tolerance: Factor | None = None
    differs: str = ""

    def __post_init__(self) -> None:
        if sum(map(bool, (self.second, self.against, self.measure))) != 1:
            raise ValueError("it needs one of 'second', 'against' and 'measure'")
        name, *_ = shlex.split(self.measure) or [""]
        if name not in ("", *MEASURES):
            raise ValueError(str(unknown("measure", name, MEASURES)))
        _check(self.ratio or FASTER)

    def rows(self) -> Iterator[tuple[str, ...]]:
        """Yield the tasks of each row."""
        yield from [self.tasks] if self.mean else [(task,) for task in self.tasks]


class Claim(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A sentence of an article in our words.

    `said` is its figure for people, `ratio` for the verdict. `here` are the questions that answer
    it, `untested` is why none can. A claim with `every` holds where each of its rows holds.
    `differs` is for questions without their own. `number` names it in documents: the article's
    place and its own ("1.3").
    """

    text: Name
    said: Name
    ratio: Range = FASTER
    tolerance: Factor = TOLERANCE
    every: bool = False
    here: tuple[Question, ...] = ()
    untested: str = ""
    differs: str = ""
    number: str = ""

    def __post_init__(self) -> None:
        if bool(self.here) == bool(self.untested):
            raise ValueError("it needs either 'here' or 'untested'")
        _check(self.ratio)

    def of(self, question: Question) -> Claimed:
        """Return what the claim says where `question` is asked."""
        return Claimed(question.ratio or self.ratio, question.tolerance or self.tolerance)


class Article(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An article with its claims.

    `source` is who published it when, `conditions` how it was measured there, `differs` what is
    otherwise here in all rows; articles are shown in the order of `place`.
    """

    title: Name
    source: Name
    conditions: Name
    claims: Annotated[tuple[Claim, ...], Meta(min_length=1)]
    place: int = 0
    differs: str = ""

    def about(self, race: str) -> Article | None:
        """Return the article with the questions about one scenario; None without any."""
        asked = ((claim, [one for one in claim.here if one.race == race]) for claim in self.claims)
        found = tuple(replace(claim, here=tuple(here)) for claim, here in asked if here)
        return replace(self, claims=found) if found else None


def read(folder: Path) -> list[Article]:
    """Read the articles of a folder, in their places; RaceError in one line for a wrong file."""
    paths = sorted(folder.glob("*.toml"))
    if not paths:
        raise RaceError(f"no claims in {folder}: it has no file *.toml")
    key = "key of the claims"
    found = [converted(toml(path), Article, path.name, f"{key} in {path.name}") for path in paths]
    return sorted(map(_numbered, found), key=lambda article: (article.place, article.title))


def _numbered(article: Article) -> Article:
    claims = enumerate(article.claims, 1)
    numbered = (replace(claim, number=f"{article.place}.{number}") for number, claim in claims)
    return replace(article, claims=tuple(numbered))


def scenarios(articles: Iterable[Article]) -> list[str]:
    """Return the names of the scenarios that claims ask for."""
    return sorted(
        {one.race for article in articles for claim in article.claims for one in claim.here}
    )


def _check(ratio: Range) -> None:
    """Raise ValueError for a wrong ratio; the faster side of a figure is named first, so that below
    1 there is only what something costs at most.
    """
    least, most = ratio
    if not 0 < least <= most or (least < 1 and math.isfinite(most)):
        raise ValueError(f"a ratio goes from 1 or more up, not from {least:g} to {most:g}")
