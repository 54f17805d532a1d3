"""The report as one self-contained HTML file: no network, opened by a double click."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from markupsafe import Markup

from race.analysis.model import Analysis
from race.report.chapters import CHAPTERS, Chapter
from race.report.sentences import matrix, strongest
from race.report.template import filled
from race.saved.model import CALIBRATION, Cell


@dataclass(frozen=True, slots=True)
class Rendered:
    """A chapter that has something to say."""

    name: str
    title: str
    body: Markup


def write(analysis: Analysis, path: Path | str) -> None:
    """Write the report of a race to `path`; OSError when it cannot be written."""
    Path(path).write_text(page(analysis), encoding="utf-8")


def page(analysis: Analysis) -> str:
    """The whole report as HTML; the same analysis gives the same text."""
    return filled(
        "report",
        analysis,
        chapters=list(_chapters(analysis)),
        contenders=len(matrix(analysis.closed())),
        strongest=strongest(analysis),
        twice=len({cell.pass_ for cell in analysis.race.cells}) > 1,
        again=_again(analysis.race.cells),
    )


def _again(cells: Sequence[Cell]) -> int:
    """How many measurements were replaced by a later one."""
    counting = [cell for cell in cells if cell.round != CALIBRATION]
    return len(counting) - len({(one.round, one.pass_, one.label, one.work) for one in counting})


def _chapters(analysis: Analysis) -> Iterator[Rendered]:
    for name, plugin in CHAPTERS.items():
        chapter: Chapter = plugin.load()()
        body = chapter.render(analysis)
        if body is not None:
            yield Rendered(name, chapter.title(analysis), body)
