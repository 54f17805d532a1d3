"""Packs a race for docs/results: `python -m race.saved.pack FOLDER`.

The cells go into cells.jsonl.gz, without the time of packing, so that the same cells give the same
bytes. Histograms keep no finer bounds than reports draw: those that a percentile of a contender's
merged cells falls on, and eight to an octave between them. So no figure of a report changes. At a
fixed rate they keep all bounds, since a percentile has an interval there.
"""

from __future__ import annotations

import gzip
import math
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec
from msgspec.structs import replace

from race.saved.model import CALIBRATION, Cell, Work
from race.saved.reader import CELLS_FILE, PACKED_FILE, RUN_FILE, load
from race.stats import histogram
from race.stats.histogram import Histogram

PERCENTILES = (1, 25, 50, 75, 90, 95, 99, 99.5, 99.9, 99.95, 99.99, 100)
"""The percentiles that reports print or draw."""
PER_OCTAVE = 8


def pack(folder: Path) -> None:
    """Replace cells.jsonl in a folder by cells.jsonl.gz, and write run.json on one line."""
    cells = coarsened(load(folder).cells)
    lines = b"".join(msgspec.json.encode(cell) + b"\n" for cell in cells)
    (folder / PACKED_FILE).write_bytes(gzip.compress(lines, 9, mtime=0))
    (folder / CELLS_FILE).unlink(missing_ok=True)
    head = (folder / RUN_FILE).read_bytes()
    (folder / RUN_FILE).write_bytes(msgspec.json.format(head, indent=-1) + b"\n")


def coarsened(cells: Sequence[Cell]) -> list[Cell]:
    """Return the cells with coarser histograms; those of the calibration have none."""
    kinds: defaultdict[tuple[str, Work], list[Histogram]] = defaultdict(list)
    for cell in cells:
        if cell.round != CALIBRATION and cell.status == "ok":
            kinds[cell.label, cell.work].append(cell.histogram)
    bounds = {kind: _bounds(found) for kind, found in kinds.items()}
    return [
        replace(cell, histogram=_coarse(cell, bounds.get((cell.label, cell.work), ())))
        for cell in cells
    ]


def _bounds(histograms: Iterable[Histogram]) -> list[float]:
    """Return the bounds of merged histograms that percentiles fall on."""
    merged = histogram.merge(histograms)
    found = (histogram.percentile(merged, percent) for percent in PERCENTILES)
    return sorted({bound for bound in found if bound is not None})


def _coarse(cell: Cell, bounds: Sequence[float]) -> list[tuple[float, int]]:
    if cell.round == CALIBRATION:
        return []
    if cell.load.rate is not None:
        return list(cell.histogram)
    counts: Counter[float] = Counter()
    for upper, count in cell.histogram:
        above = (bound for bound in bounds if bound >= upper)
        counts[min(next(above, math.inf), _next_bound(upper))] += count
    return sorted(counts.items())


def _next_bound(upper: float) -> float:
    """Return the least bound of the coarse grid that is not below a bound, in microseconds."""
    nanoseconds = math.ceil(upper * 1000 - 1e-6)
    step = 1 << max(0, nanoseconds.bit_length() - PER_OCTAVE.bit_length())
    return -(-nanoseconds // step) * step / 1000


if __name__ == "__main__":
    pack(Path(sys.argv[1]))
