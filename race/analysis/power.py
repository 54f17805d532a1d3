"""The power and the error rates of races with a given number of rounds.

Races of equals are drawn from the residuals of a saved race (a bootstrap: B. Efron, R. J.
Tibshirani, An Introduction to the Bootstrap, Chapman & Hall 1993, 9.4), so no distribution is
assumed. A lasting difference between processes is added, as large as the saved race shows. The rule
of a report judges these races.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from race.analysis import controls, values
from race.analysis.analyse import collect
from race.analysis.headline import precedence
from race.analysis.model import plain
from race.analysis.results import RaceData
from race.saved.model import Work
from race.saved.reader import SavedRace
from race.stats import simulation
from race.stats.effects import contrasts
from race.stats.processes import lives

Array = NDArray[np.float64]

ROUNDS = (4, 6, 9, 12)
EFFECTS = (1.10, 1.25, 1.50)
RACES = 2000
SEED = 20261121


@dataclass(frozen=True, slots=True)
class Scatter:
    """The standard deviation (log scale) of a contender's value of a round at one work, without
    what rounds and contenders share.
    """

    work: Work
    round: float


@dataclass(frozen=True, slots=True)
class Outlook:
    """The false claims and the power of races of `rounds`.

    `coverage` is the share of intervals that contain the truth. The `false_` shares are of reports
    of equals: with a winner anywhere, with an effect anywhere, with a winner in the headline, with
    any of these; and, for `false_equals`, of reports in which all are as far from the first as may
    just be called equal and any is shown equal to it. `found` has the share of pairs that are
    decided for each true effect, by work; NaN where all contenders run the same code.
    """

    rounds: int
    coverage: float
    false_reports: float
    false_equals: float
    false_effects: float
    false_headlines: float
    false_claims: float
    found: list[list[float]]


@dataclass(frozen=True, slots=True)
class Power:
    """The result of a simulation; `processes` is the standard deviation between processes of the
    same code (log scale).
    """

    race: str
    contenders: int
    twin: bool
    effects: list[float]
    processes: float
    scatter: list[Scatter]
    outlooks: list[Outlook]

    def as_json(self) -> dict[str, Any]:
        """Return plain JSON; standard deviations stay on the log scale."""
        data: dict[str, Any] = plain(self)
        return data


def power(
    race: SavedRace,
    rounds: Sequence[int] = ROUNDS,
    effects: Sequence[float] = EFFECTS,
    processes: float | None = None,
) -> Power:
    """Simulate races of each number of rounds.

    `effects` are true ratios above 1. `processes` is the standard deviation between processes of
    the same code (log scale), by default that of the saved race. Raises ValueError, one line, when
    the race has no work with two contenders and two rounds.
    """
    data = collect(race, values.counted(race))
    residuals = {
        work: found
        for work in values.in_order(data.rates, race.head.discipline)
        if work.load.closed and (found := _residuals(data, work)) is not None
    }
    if not residuals:
        raise ValueError("no task of this race has two contenders with two complete rounds")
    if processes is None:
        shown = [float(data.kept[work].variance) for work in residuals]
        processes = math.sqrt(math.fsum(shown) / len(shown) / 2)
    labels = sorted({label for work in residuals for label in data.own(work)})
    works = list(residuals)
    equals = _Equals(
        residuals=list(residuals.values()),
        contenders=len(labels),
        processes=processes,
        restart=controls.restart(race.head),
        same=[_groups(data, work, labels) for work in works],
        contrasts=[_contrasts(data, work, labels) for work in works],
        first=works.index(min(works, key=lambda one: precedence(one, race.head.discipline))),
    )
    return Power(
        race=race.head.race,
        contenders=len(labels),
        twin=bool(data.twins),
        effects=list(effects),
        processes=processes,
        scatter=[Scatter(work, float(found.std())) for work, found in residuals.items()],
        outlooks=[equals.outlook(number, effects) for number in rounds],
    )


@dataclass(frozen=True, slots=True)
class _Equals:
    """Races of equals, which start anew after `restart` rounds; `residuals`, `same` and `contrasts`
    are by work, and headlines are about the work `first`.
    """

    residuals: Sequence[Array]
    contenders: int
    processes: float
    restart: int
    same: simulation.Same
    contrasts: simulation.Contrasts
    first: int

    def outlook(self, rounds: int, effects: Sequence[float]) -> Outlook:
        """Simulate races of so many rounds."""
        races = self._races(rounds)
        judged = simulation.judge(races, self.same, self.restart)
        bought = simulation.bought(races, judged, self.contrasts)
        headlines = judged.headlines(self.first)
        return Outlook(
            rounds=rounds,
            coverage=judged.coverage,
            false_reports=judged.false_reports,
            false_equals=judged.false_equals(judged.limit),
            false_effects=float(bought.mean()),
            false_headlines=float(headlines.mean()),
            false_claims=float((judged.winners | bought | headlines).mean()),
            found=[[float(share) for share in judged.power(ratio)] for ratio in effects],
        )

    def _races(self, rounds: int) -> Array:
        """Return races with one A/A twin: races x works x (contenders + 1) x rounds."""
        random = np.random.default_rng(SEED)
        shape = (RACES, self.contenders + 1, rounds)
        races = np.stack([random.choice(found, size=shape) for found in self.residuals], axis=1)
        life = lives(range(1, rounds + 1), self.restart)
        shape = (*races.shape[:3], int(life[-1]) + 1)
        lasting: Array = random.normal(0.0, self.processes, shape)
        races += lasting[..., life]
        return races


def _residuals(race: RaceData, work: Work) -> Array | None:
    """Return round values without the means of contenders and of rounds, in one row.

    Taking out the means of L contenders and n rounds leaves (L-1)(n-1) of L n degrees of freedom;
    the residuals are scaled up for that. Rounds that not all contenders have are left out.
    """
    by_label = race.rates.get(work, {})
    shared = sorted(set.intersection(*(set(logs) for logs in by_label.values())))
    count, number = len(by_label), len(shared)
    if len(race.own(work)) < 2 or number < 2:
        return None
    table = np.array([[logs[one] for one in shared] for logs in by_label.values()])
    table = table - table.mean(axis=0) - table.mean(axis=1, keepdims=True) + table.mean()
    freedom = (count - 1) * (number - 1) / (count * number)
    found: Array = table.ravel() / math.sqrt(freedom)
    return found


def _groups(race: RaceData, work: Work, labels: Sequence[str]) -> list[list[int]]:
    kind = race.saved.head.discipline
    ignored = kind.ignores.get(work.task, ())
    return [
        [labels.index(label) for label in sorted(group & set(labels))]
        for group in controls.groups(race.distinguishable, ignored, kind.level_texts)
    ]


def _contrasts(race: RaceData, work: Work, labels: Sequence[str]) -> list[simulation.Pairs]:
    """Return the matched pairs of each effect of a work, by index."""
    kind = race.saved.head.discipline
    designs = {label: race.designs[label] for label in labels if label in race.designs}
    found = contrasts(designs, kind.factors, kind.ignores.get(work.task, ()))
    return [[(labels.index(one), labels.index(two)) for one, two in pairs] for _, pairs in found]
