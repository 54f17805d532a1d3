"""Draws the shapes for the documents: `python -m locustfiles.shapes.drawing`."""

from __future__ import annotations

import sys
from pathlib import Path

from locustfiles.charts import line_chart
from locustfiles.shapes import SHAPES
from locustfiles.shapes.plan import curve, planned
from locustfiles.shapes.totals import Totals

FOLDER = Path("docs") / "pictures" / "shapes"
HOUR = 3600
BEND = 60  # users from which the drawn site answers late


def bending(users: int) -> Totals:
    """Answer up to BEND users quickly, and more of them late."""
    return Totals(users, 0, {40 if users <= BEND else 900: users})


def drawing(name: str) -> str:
    """Return a shape with its default fields as SVG."""
    counts = curve(planned(SHAPES[name], {}), bending)
    points = [(float(second), float(users)) for second, users in enumerate(counts, start=1)]
    step = max(1, len(points) // HOUR * 10)  # hours have more seconds than a drawing has pixels
    return line_chart(f"{name}: users", {"users": [(0.0, 0.0), *points[::step], points[-1]]})


def main(folder: Path) -> None:
    """Write all drawings."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in SHAPES:
        (folder / f"{name.lower()}.svg").write_text(drawing(name), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER)
