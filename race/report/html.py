"""The report as one self-contained HTML file: no network, opened by a double click."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from markupsafe import Markup

from race.analysis.model import Analysis
from race.report.chapters import CHAPTERS, FOLDED, UNFOLDED, Chapter
from race.report.outcomes import Outcomes
from race.report.sentences import slug, strongest
from race.report.template import filled
from runtime.files import write_atomically


@dataclass(frozen=True, slots=True)
class Rendered:
    """A chapter that has something to say; `folded` on every screen, `first` on none."""

    name: str
    title: str
    body: Markup
    folded: bool
    first: bool


def write(analysis: Analysis, path: Path | str) -> None:
    """Write the report of a race to `path`; OSError when it cannot be written."""
    write_atomically(Path(path), page(analysis).encode())


def page(analysis: Analysis) -> str:
    """Return the whole report as HTML; the same analysis gives the same text."""
    return filled(
        "report",
        analysis,
        chapters=list(_chapters(analysis)),
        places=[(slug(one), one.place) for one in analysis.closed()],
        contenders=len({item.label for one in analysis.comparisons for item in one.results}),
        strongest=strongest(analysis),
        outcomes=Outcomes(analysis),
    )


def _chapters(analysis: Analysis) -> Iterator[Rendered]:
    for name, plugin in CHAPTERS.items():
        chapter: Chapter = plugin.load()()
        body = chapter.render(analysis)
        if body is not None:
            title = chapter.title(analysis)
            yield Rendered(name, title, body, name in FOLDED, name in UNFOLDED)
