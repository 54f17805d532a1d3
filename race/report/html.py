"""The report as one self-contained HTML file: no network, opened by a double click."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from race.analysis.model import Analysis
from race.report.chapters import CHAPTERS, FOLDED, UNFOLDED
from race.report.charts.colours import shared
from race.report.outcomes import Outcomes
from race.report.sentences import slug, strongest
from race.report.template import ReportChapter, filled


@dataclass(frozen=True, slots=True)
class PlacedChapter:
    """A chapter in its place; `folded` on every screen, `first`: unfolded on a phone too."""

    name: str
    chapter: ReportChapter
    folded: bool
    first: bool


def page(analysis: Analysis) -> str:
    """Return the whole report as HTML; the same analysis gives the same text."""
    return filled(
        "report",
        analysis,
        sections=list(_sections(analysis)),
        places=[(slug(one), one.place) for one in analysis.closed()],
        contenders=len({item.label for one in analysis.comparisons for item in one.results}),
        strongest=strongest(analysis),
        shared=shared(item.label for one in analysis.comparisons for item in one.results),
        outcomes=Outcomes(analysis),
    )


def _sections(analysis: Analysis) -> Iterator[PlacedChapter]:
    for name, plugin in CHAPTERS.items():
        chapter: ReportChapter | None = plugin.load()(analysis)
        if chapter is not None:
            yield PlacedChapter(name, chapter, name in FOLDED, name in UNFOLDED)
