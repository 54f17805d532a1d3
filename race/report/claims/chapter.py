"""The chapter of a report with the claims of articles, against this run alone."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from race.analysis.model import Analysis
from race.analysis.pairing import Run
from race.errors import RaceError
from race.paths import CLAIMS
from race.report.claims.article import Article, read
from race.report.claims.rows import rows
from race.report.claims.tables import ArticleRows
from race.report.claims.verdicts import KINDS, VERDICTS
from race.report.template import ReportChapter, chapter


def render(analysis: Analysis) -> ReportChapter | None:
    """Return a table for each article that asks for runs of this scenario."""
    try:
        found = about(analysis, read(CLAIMS))
    except RaceError as error:
        return ReportChapter("What articles claimed", Markup("<p>{}</p>").format(str(error)))
    if not found:
        return None
    given = {row.verdict for one in found for row in one.rows}
    meanings = {name: text for name, text in VERDICTS.items() if name in given} | KINDS
    return chapter("What articles claimed", "claims", analysis, found=found, meanings=meanings)


def about(analysis: Analysis, articles: Sequence[Article]) -> list[ArticleRows]:
    """Return the articles with the rows that ask for the scenario of this run."""
    name = str(analysis.race.head.scenario.get("name"))
    known = [one for article in articles if (one := article.about(name))]
    runs = {name: [Run.analysed(analysis)]} if known else {}
    return [ArticleRows(article, rows(article, runs)) for article in known]
