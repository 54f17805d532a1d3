"""What articles claimed, held against this run alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from race.analysis import values
from race.analysis.model import Analysis
from race.analysis.pairing import Run
from race.errors import RaceError
from race.paths import CLAIMS
from race.report.articles.claimed import Article
from race.report.articles.reader import read
from race.report.articles.rows import Row, rows
from race.report.articles.verdicts import VERDICTS
from race.report.template import filled


@dataclass(frozen=True, slots=True)
class Told:
    """An article that claims something about this scenario, and what became of it in this run."""

    article: Article
    rows: list[Row]


class Claims:
    """`chapters.Chapter`: a table for each article that asks for runs of this scenario."""

    def title(self, analysis: Analysis) -> str:
        """See ``Chapter``."""
        return "What articles claimed"

    def render(self, analysis: Analysis) -> Markup | None:
        """See ``Chapter``. A report is worth having where the claims cannot be read."""
        try:
            found = told(analysis, read(CLAIMS))
        except RaceError as error:
            return Markup("<p>{}</p>").format(str(error))
        if not found:
            return None
        given = {row.verdict for one in found for row in one.rows}
        return filled(
            "claims",
            analysis,
            found=found,
            meanings={name: text for name, text in VERDICTS.items() if name in given},
        )


def told(analysis: Analysis, articles: Sequence[Article]) -> list[Told]:
    """Articles in their places, with the rows that ask for the scenario of this run."""
    name = str(analysis.race.head.scenario.get("name"))
    known = [one for article in articles if (one := article.about(name))]
    if not known:
        return []
    cpu = values.cpu_us(analysis.discipline.parties[0])
    run = Run(analysis, values.values(analysis.counted, cpu))
    ordered = sorted(known, key=lambda one: (one.place, one.title))
    return [Told(article, rows(article, {name: [run]})) for article in ordered]
