"""Measures how fast one core works while its neighbour idles, and while it is busy.

Hardware threads of one core, a shared cache or a host that counts two cores as one show themselves
here, whatever the machine says of itself.
"""

from __future__ import annotations

import sys

from race.machine.calm import BURN
from race.machine.cores import Layout
from race.machine.process import Child
from race.saved.head import Probe

SECONDS = 0.9
"""The length of each half of the probe, in CPU time."""
START_SECONDS = 10.0
"""The seconds that a half may take longer, where other programs use the core too."""
COUNT = """
import sys, time
end, turns = time.process_time() + float(sys.argv[1]), 0
while time.process_time() < end:
    for number in range(1000):
        turns += 1
print(turns)
"""


def neighbour(layout: Layout, seconds: float = SECONDS) -> Probe | None:
    """Return the turns a second of CPU time of a loop on the first party's core: `alone`, and
    `beside` a core that is kept busy. None where not two cores are used.
    """
    used = list(dict.fromkeys(core for cores in layout.values() for core in sorted(cores)))
    if len(used) < 2:
        return None
    alone = _speed(used[0], seconds)
    burner = Child(BURN, frozenset([used[1]]))
    try:
        beside = _speed(used[0], seconds)
    finally:
        burner.end()
    return Probe(alone, beside) if alone and beside else None


def _speed(core: int, seconds: float) -> float:
    """Return the turns a second of the loop on a core; 0 if it did not end in time."""
    child = Child(
        [sys.executable, "-S", "-E", "-c", COUNT, str(seconds)], frozenset([core]), pipe_output=True
    )
    try:
        return int(child.read_line(20 * seconds + START_SECONDS) or 0) / seconds
    finally:
        child.end()
