"""Writes the ten answers and the pictures of docs/results: `python -m race.replicate.page`.

The answers are a part of README.md, between two comments; a test checks that all are current.
"""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from race.analysis.pairing import Run
from race.commands.claim import finder
from race.errors import RaceError
from race.paths import PUBLISHED, RESULTS
from race.replicate import pictures, record
from race.replicate.predictions import PLANTED, PREDICTIONS, SHARE, TWIN, Claim, FindRun, read
from race.replicate.record import HOLDS, Replication
from race.report import format as words
from race.report.claims.measures import measure, sides
from race.report.claims.pairs import comparisons
from runtime.files import write_atomically

README = PUBLISHED / "README.md"
REPLICATIONS = PUBLISHED / "replications"
PICTURES = PUBLISHED.parent / "pictures"
BEGIN = "<!-- ten answers: python -m race.replicate.page -->"
END = "<!-- end of the ten answers -->"
HEAD = (
    "| question | ratio | verdict | saturated | runs | elsewhere | claim |\n"
    "|---|---|---|---|---|---|---|"
)


def pages(find: FindRun) -> dict[Path, str]:
    """Return what each file must be."""
    claims, known = list(read().values()), replications()
    before, _, rest = README.read_text(encoding="utf-8").partition(BEGIN)
    if END not in rest:
        raise RaceError(f"{README} lacks the line {BEGIN} or {END}")
    answers = f"{BEGIN}\n{table(claims, find, known)}\n{END}"
    found = {README: before + answers + rest.partition(END)[2]}
    found[PICTURES / "ten-ratios.svg"] = pictures.forest(claims, find, known)
    found[PICTURES / "saturation.svg"] = pictures.saturation(find("saturation"))
    found[PICTURES / "latency.svg"] = pictures.latency(find("latency"))
    return found


def replications(folder: Path = REPLICATIONS) -> list[Replication]:
    """Return the published replications, in the order of their files."""
    return [record.read(path) for path in sorted(folder.glob("*.json"))]


def table(claims: Sequence[Claim], find: FindRun, known: Sequence[Replication]) -> str:
    """Return the ten answers as a table."""
    text = PREDICTIONS.read_text(encoding="utf-8")
    lines = {claim.id: text[: text.index(f'id = "{claim.id}"')].count("\n") + 1 for claim in claims}
    return "\n".join([HEAD, *(_row(one, find, known, lines[one.id]) for one in claims)])


def _row(claim: Claim, find: FindRun, known: Sequence[Replication], line: int) -> str:
    cells = [claim.question, *_published(claim, find), _elsewhere(claim, known)]
    cells.append(f"[{claim.id}](predictions.toml#L{line})")
    return f"| {' | '.join(cells)} |"


def _published(claim: Claim, find: FindRun) -> tuple[str, ...]:
    """Return the ratio, the verdict, who was saturated, and the number of runs."""
    if claim.id == PLANTED:
        return f"{1 - SHARE:g} by design", words.NONE, words.NONE, "0"
    names, runs = "+".join(claim.runs), [find(name) for name in claim.runs]
    if claim.id == TWIN:
        ratios = (
            f"{measure('noise', runs, [claim.task])} <!-- claim: noise {names} {claim.task} -->"
        )
        verdict = f"within the margin of {measure('margin', runs, [claim.task])}"
        baseline = comparisons(runs, claim.task)[0].baseline
        return ratios, verdict, _saturated(claim, runs, baseline), f"{len(runs)}"
    pair = [claim.task, claim.first, claim.second]
    verdict = measure("verdict", runs, pair)
    mark = "" if verdict in ("faster", "slower") else "†"
    ratio = f"{measure('ratio', runs, pair)}{mark} <!-- claim: {names} {shlex.join(pair)} -->"
    number = len(claim.published(find))
    more = f" of {number}" if number > len(runs) else ""
    return ratio, verdict + _goal(claim, runs), _saturated(claim, runs), f"{len(runs)}{more}"


def _goal(claim: Claim, runs: Sequence[Run]) -> str:
    """Return whether the estimate reaches the goal, where there is one."""
    ratio = sides(runs, claim.task, claim.first, claim.second).ratio()
    if claim.goal is None or ratio is None:
        return ""
    return f"; our goal of {claim.goal:g} is {'reached' if ratio.ratio >= claim.goal else 'missed'}"


def _saturated(claim: Claim, runs: Sequence[Run], *labels: str) -> str:
    """Return the parties that were saturated with either of the two, in any of the runs."""
    wanted = labels or (claim.first, claim.second)
    both = sides(runs, claim.task, wanted[0], wanted[-1])
    seen = [
        item.saturated or "not known"
        for side in (both.first, both.second)
        for _, item in both.results(side)
    ]
    return ", ".join(dict.fromkeys(seen))


def _elsewhere(claim: Claim, known: Sequence[Replication]) -> str:
    """Return the prediction, and the outcomes of replications, each of which has both controls."""
    low, high = claim.predicted
    expected = f"predicted {low:.2f} to {high:.2f}"
    if claim.of_the_race:
        ratios = [one.twin if claim.id == TWIN else one.planted for one in known]
        inside = sum(one is not None and low <= one.low and one.high <= high for one in ratios)
        return f"{expected}; {HOLDS}: {inside} of {len(ratios)}" if ratios else expected
    outcomes = Counter(one.outcome for one in known if one.claim == claim.id)
    return "; ".join([expected, *(f"{outcome}: {n}" for outcome, n in outcomes.items())])


def main() -> int:
    """Write what differs, and print its path."""
    for path, text in pages(finder(PUBLISHED, RESULTS)).items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            write_atomically(path, text.encode())
            print(path)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
