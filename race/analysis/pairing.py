"""Two contenders on one work of one race, with all that the saved cells say of them."""

from __future__ import annotations

from dataclasses import dataclass

from race.analysis import values
from race.analysis.analyse import analyse
from race.analysis.model import Analysis, Comparison, ContenderResult
from race.analysis.values import Values
from race.errors import RaceError, unknown
from race.plan.contenders import TWIN_MARK
from race.saved.model import Work
from race.saved.reader import SavedRace
from race.stats.estimate import Estimate
from race.stats.processes import log_ratios
from race.stats.ranking import find_pair
from race.stats.verdict import Verdict, verdict


@dataclass(frozen=True, slots=True)
class Run:
    """A saved race, analysed; `cpu` has the CPU time of the party under test by round."""

    analysis: Analysis
    cpu: Values

    @classmethod
    def of(cls, race: SavedRace) -> Run:
        """Analyse a saved race."""
        return cls.analysed(analyse(race))

    @classmethod
    def analysed(cls, analysis: Analysis) -> Run:
        """Take a race that is analysed already."""
        party = analysis.discipline.parties[0]
        return cls(analysis, values.values(analysis.counted, values.cpu_us(party)))

    @property
    def name(self) -> str:
        """The name of the race's folder."""
        return self.analysis.race.folder.name

    def comparison(self, work: Work) -> Comparison | None:
        """Return the comparison on a work; None where it was not raced."""
        return next((one for one in self.analysis.comparisons if one.work == work), None)


@dataclass(frozen=True, slots=True)
class Pairing:
    """`first` against `second` in one run.

    `ratio` is of units/s, None where one of the two has no rank (its throughput is a lower bound,
    or there is none); `cpu` is of the CPU time per unit of the party under test. `verdict` is on
    `ratio`, `cpu_verdict` on `cpu`; `winner` is one of the two labels where `verdict` is
    "different".
    """

    run: str
    comparison: Comparison
    first: ContenderResult
    second: ContenderResult
    ratio: Estimate | None
    cpu: Estimate | None
    cpu_verdict: Verdict
    verdict: Verdict
    winner: str | None


def pairing(run: Run, comparison: Comparison, first: str, second: str) -> Pairing:
    """Return two contenders by label; RaceError when one of them did not run there."""
    found = {item.label: item for item in comparison.results}
    for label in (first, second):
        if label not in found:
            raise not_raced(comparison, label)
    pair = find_pair(comparison.pairs, first, second)
    cpu = _cpu(run, comparison, first, second)
    return Pairing(
        run=run.name,
        comparison=comparison,
        first=found[first],
        second=found[second],
        ratio=pair.estimate if pair else None,
        cpu=cpu,
        cpu_verdict=verdict(cpu, comparison.cpu_margin),
        verdict=pair.verdict if pair else Verdict.UNDECIDED,
        winner=pair.winner if pair else None,
    )


def not_raced(comparison: Comparison, label: str) -> RaceError:
    """Return the error for a label without a result in a comparison."""
    known = [item.label for item in comparison.results]
    original = label.removesuffix(TWIN_MARK)
    if original in known:
        text = (
            f"{label!r} is the A/A twin of {original!r}, which is in no ranking: type {original!r}"
        )
        return RaceError(text)
    return unknown(comparison.discipline.contender, label, known)


def _cpu(run: Run, comparison: Comparison, first: str, second: str) -> Estimate | None:
    by_label = run.cpu.get(comparison.work, {})
    ratios = log_ratios(by_label.get(first, {}), by_label.get(second, {}))
    return comparison.cpu_kept.estimate(ratios)
