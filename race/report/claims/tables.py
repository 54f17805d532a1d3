"""The table of an article's claims, for documents and for a terminal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from markupsafe import Markup

from race.report import format as words
from race.report.claims.article import Article
from race.report.claims.rows import ClaimRow
from race.report.claims.verdicts import HOLDS, REFUTED, SHOWN, UNMEASURED, WEAKER
from race.report.table import PLAIN, TEXT, Column, ReportTable, as_above, fill
from race.report.tables.values import RATIO

STYLES = {HOLDS: "green", WEAKER: "yellow", REFUTED: "red", SHOWN: "dim", UNMEASURED: "dim"}


class ClaimVerdict(NamedTuple):
    """A verdict with what it alone does not say, and its style on a terminal."""

    verdict: str
    why: str

    def __str__(self) -> str:
        return f"{self.verdict}: {self.why}" if self.why else self.verdict

    def __html__(self) -> Markup:
        why = Markup('<br><span class="reason">{}</span>').format(self.why) if self.why else ""
        return Markup("<strong>{}</strong>{}").format(self.verdict, why)

    @property
    def style(self) -> str:
        """The style of its text on a terminal."""
        return STYLES.get(self.verdict, "")


def _second(row: ClaimRow) -> str:
    alone = words.NONE if row.measure else row.second
    return "itself" if row.against else alone


CLAIM = (
    Column("claim", lambda row: row.title, TEXT),
    Column("claimed", lambda row: row.said, TEXT),
)
RUNS = Column("runs", lambda row: row.runs, TEXT)
SIDES = (
    Column("task", lambda row: " over ".join(filter(None, (row.task, row.against))), TEXT),
    Column("first", lambda row: row.first, TEXT),
    Column("second", _second, TEXT),
)
BRIEF = (
    Column("claim", lambda row: f"{row.title} ({row.said})", TEXT),
    Column("measured", lambda row: row.measured, TEXT),
)
FOUND = (
    Column("found [95 %]", lambda row: row.ratio_text, RATIO, css="ratio"),
    Column("verdict", lambda row: ClaimVerdict(row.verdict, row.why), TEXT),
)


@dataclass(frozen=True, slots=True)
class ArticleRows:
    """An article with the rows of its claims."""

    article: Article
    rows: list[ClaimRow]

    @property
    def conditions(self) -> str:
        """The article's source, how it was measured there, and what differs here in all rows."""
        article = self.article
        here = f" Here, in all rows: {article.differs}." if article.differs else ""
        return f"{article.source}. There: {article.conditions}{here}"

    @property
    def notes(self) -> dict[str, int]:
        """The differences of some rows, numbered from 1, for a list above the table."""
        texts = dict.fromkeys(row.differs for row in self.rows if row.differs)
        return {text: number for number, text in enumerate(texts, 1)}

    def table(self, runs: bool = True) -> ReportTable:
        """Return the table of a document; `runs`: with the column of runs."""
        what = (*CLAIM, *([RUNS] if runs else []), *SIDES)
        return self._filled(what, len(what))

    def brief(self) -> ReportTable:
        """Return the table of a terminal, with the words that `race claim` takes."""
        return self._filled(BRIEF, 1)

    def _filled(self, what: tuple[Column, ...], repeated: int) -> ReportTable:
        """Return the table; within a claim, the first columns leave out what is as above."""
        numbers = self.notes
        note = Column("note", lambda row: numbers.get(row.differs, ""), PLAIN)
        table = fill(self.article.title, (*what, *FOUND, note), self.rows, css="small claims")
        return as_above(table, range(repeated), within=0)
