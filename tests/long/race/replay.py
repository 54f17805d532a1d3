"""Replays sittings of equals through the gate: `python -m tests.long.race.replay [SITTINGS]`.

Each published race ran one contender twice under two labels. A sitting takes the two as an old and
a new commit, in either order, in a random run of successive rounds of a random race, and the gate
judges all of its closed-loop works: whatever it calls slower is a false alarm. Sittings of one race
share cells, so they are fewer than they look.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace as with_fields

from msgspec.structs import replace

from race.analysis.analyse import analyse, twins
from race.app.gate.judge import Limits, Outcome, gate, rounds_needed
from race.paths import PUBLISHED
from race.saved.model import CALIBRATION
from race.saved.reader import RUN_FILE, SavedRace, load

SITTINGS, SEED = 100, 20261124
LIMITS = (0.05, 0.02, 0.0)
"""What a gate may be asked for; with 0 its interval alone decides."""


def main(sittings: int) -> None:
    """Print how many sittings end with an alarm, for each limit."""
    races = list(equals())
    dice = random.Random(SEED)  # noqa: S311 - to repeat, not a secret
    drawn = [sitting(dice.choice(races), dice) for _ in range(sittings)]
    print(f"{sittings} sittings of equals from {len(races)} published races")
    for limit in LIMITS:
        found = Counter(judged(one, limit) for one in drawn)
        said = ", ".join(f"{number} {outcome}" for outcome, number in found.most_common())
        print(f"limit {100 * limit:.0f} %: {found[Outcome.SLOWER]} false alarms ({said})")


def equals() -> Iterator[SavedRace]:
    """Yield a race of the two equals of each published race, as if they were two commits."""
    for path in sorted(PUBLISHED.glob(f"*/{RUN_FILE}")):
        race = load(path.parent)
        for twin, original in twins(race.head.contenders).items():
            names = {original: "old", twin: "new"}
            cells = [
                replace(cell, label=names[cell.label])
                for cell in race.cells
                if cell.label in names and cell.round != CALIBRATION and cell.load.closed
            ]
            found = [one for one in race.head.contenders if one.label in names]
            head = replace(
                race.head,
                contenders=[
                    replace(one, label=names[one.label], name=names[one.label], aa=False)
                    for one in found
                ],
                baseline="old",
                unsupported={},
            )
            if cells:  # some races are at fixed rates alone
                yield with_fields(race, head=head, cells=cells)


def sitting(race: SavedRace, dice: random.Random) -> SavedRace:
    """Return some successive rounds of a race, half of the time with the two turned round."""
    last = max(cell.round for cell in race.cells)
    least = min(last, rounds_needed(len({cell.work for cell in race.cells})))
    rounds = dice.randint(least, last)
    first = dice.randint(1, last - rounds + 1)
    turned = {"old": "new", "new": "old"} if dice.random() < 0.5 else {"old": "old", "new": "new"}
    cells = [
        replace(cell, label=turned[cell.label])
        for cell in race.cells
        if first <= cell.round < first + rounds
    ]
    return with_fields(race, cells=cells)


def judged(race: SavedRace, limit: float) -> Outcome:
    """Return what the gate says."""
    return gate(analyse(race), "old", "new", Limits(limit)).outcome


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else SITTINGS)
