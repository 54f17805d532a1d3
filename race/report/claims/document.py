"""Claims of a document, recomputed from saved cells.

A claim is an HTML comment behind the sentence that it backs:

    <!-- claim: [MEASURE] RUN[+RUN...] WORDS... [= VALUE] -->

MEASURE is one of `measures.MEASURES`, or a ratio when left out. RUN is a saved race; several joined
by `+` are merged. Which WORDS follow depends on the measure. VALUE must be what the measure prints;
without one, the text between the last claim or empty line and the comment must contain it.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from race.analysis.merge import same_scenario
from race.analysis.pairing import Run
from race.errors import RaceError
from race.report.claims.measures import MEASURES, measure
from race.saved.reader import ResultsError

_COMMENT = re.compile(r"<!--\s*claim:(?P<body>.*?)-->", re.DOTALL)
_INTERVAL = re.compile(r"\d[\d.,]*×?\s+\[[\d.,]+,\s+[\d.,]+\]")
_TOKEN = re.compile(
    rf"<!--\s*(?P<claim>claim:)?.*?-->|(?P<gap>\n\s*\n)|(?P<interval>{_INTERVAL.pattern})",
    re.DOTALL,
)

FindRun = Callable[[str], Run]
"""Returns a saved race by name, analysed; RaceError or ResultsError when there is none."""


@dataclass(frozen=True, slots=True)
class DocumentClaim:
    """A claim as it stands; `line` counts from 1, `said` is the text before the comment."""

    line: int
    body: str
    said: str


@dataclass(frozen=True, slots=True)
class Checked:
    """A claim with what the saved cells say; `problem` is None where they agree."""

    claim: DocumentClaim
    found: str | None
    problem: str | None


def check_document(text: str, runs: FindRun) -> list[Checked]:
    """Check every claim of a document, and report every ratio in it that none backs."""
    return [*(check(claim, runs) for claim in claims(text)), *unclaimed(text)]


def claims(text: str) -> Iterator[DocumentClaim]:
    """Yield every claim of a document, from its top."""
    last = 0
    for match in _COMMENT.finditer(text):
        before = text[last : match.start()]
        said = re.split(r"\n\s*\n", before)[-1]
        line = text.count("\n", 0, match.start()) + 1
        yield DocumentClaim(line, " ".join(match["body"].split()), " ".join(said.split()))
        last = match.end()


def unclaimed(text: str) -> Iterator[Checked]:
    """Yield every ratio with an interval that no claim follows before the next ratio or an empty
    line.
    """
    bare: re.Match[str] | None = None
    for match in _TOKEN.finditer(text + "\n\n"):
        interval = match["interval"] is not None
        if bare and (interval or match["gap"]):
            line = text.count("\n", 0, bare.start()) + 1
            ratio = " ".join(bare.group().split())
            yield Checked(
                DocumentClaim(line, ratio, ratio), None, f"no claim stands behind {ratio}"
            )
        bare = match if interval else None if match["claim"] or match["gap"] else bare


def check(claim: DocumentClaim, runs: FindRun) -> Checked:
    """Recompute one claim."""
    subject, stated, value = claim.body.partition(" = ")
    try:
        found = compute(shlex.split(subject), runs)
    except (RaceError, ResultsError, ValueError) as error:
        return Checked(claim, None, str(error))
    if stated and _plain(value) != _plain(found):
        return Checked(claim, found, f"it says {value}, the saved cells say {found}")
    if not stated and not _says(claim.said, found):
        return Checked(claim, found, f"the sentence before it does not say {found}")
    intervals = _INTERVAL.findall(claim.said)
    if intervals and _INTERVAL.match(found) and _plain(intervals[-1]) != _plain(found):
        return Checked(claim, found, f"the sentence says {intervals[-1]}, not {found}")
    return Checked(claim, found, None)


def compute(given: Sequence[str], runs: FindRun) -> str:
    """Return the text for the words of a claim; RaceError when they are wrong."""
    name = given[0] if given and given[0] in MEASURES else "ratio"
    rest = given[1:] if given and given[0] in MEASURES else given
    if not rest:
        raise RaceError("a claim names a run: [MEASURE] RUN[+RUN...] WORDS... [= VALUE]")
    named, *others = rest
    found = [runs(one) for one in named.split("+")]
    same_scenario([run.analysis.race.head for run in found])
    return measure(name, found, others)


def _says(sentence: str, found: str) -> bool:
    """Return whether a text stands in a sentence by itself: "9" is not in "19" nor in "9.5"."""
    text = re.escape(_plain(found))
    return re.search(rf"(?<![\w.,]){text}(?![\w]|[.,]\d)", _plain(sentence)) is not None


def _plain(text: str) -> str:
    return " ".join(text.replace("×", "").split())
