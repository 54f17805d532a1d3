"""The drawings of the documents, made of the shapes themselves: ``python -m
locustfiles.shapes.drawing`` writes them anew.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from locustfiles.charts import line_chart
from locustfiles.shapes import SHAPES
from locustfiles.shapes.load import Load
from locustfiles.shapes.plan import Plan, planned

FOLDER = Path("docs") / "pictures" / "shapes"
HOUR = 3600
# Where the site of the drawing bends.
FULL = 60

Answer = Callable[[int], Load]
"""What that many users get answered within a second."""


def curve(plan: Plan, answer: Answer) -> list[int]:
    """The users of each second, when each second's are answered so."""
    load, counts = Load(), list[int]()
    while True:
        plan.look(len(counts), load)
        found = plan.users(len(counts))
        if found is None:
            return counts
        counts.append(found)
        load = added(load, answer(found))


def added(load: Load, more: Load) -> Load:
    """Both together."""
    times = dict(load.times)
    for time, number in more.times.items():
        times[time] = times.get(time, 0) + number
    return Load(load.requests + more.requests, load.failures + more.failures, times)


def bending(users: int) -> Load:
    """A site that answers FULL users quickly, and more of them late."""
    return Load(users, 0, {40 if users <= FULL else 900: users})


def drawing(name: str) -> str:
    """A shape with the fields that the page begins with, as SVG."""
    counts = curve(planned(SHAPES[name], {}), bending)
    points = [(float(second), float(users)) for second, users in enumerate(counts, start=1)]
    # Hours have more seconds than a drawing has pixels.
    step = max(1, len(points) // HOUR * 10)
    shown = [(0.0, 0.0), *points[::step], points[-1]]
    return line_chart(f"{name}: users", {"users": shown})


def main(folder: Path) -> None:
    """Write all of them."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in SHAPES:
        (folder / f"{name.lower()}.svg").write_text(drawing(name), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER)
