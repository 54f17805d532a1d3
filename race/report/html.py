"""The report as one self-contained HTML file: no network, opened by a double click."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from race.analysis import values as rounds
from race.analysis.analyse import analyse
from race.analysis.model import Contest
from race.report import format as words
from race.report import sentences as chapters
from race.report.charts import figures, latency, marks
from race.report.charts.colours import accents
from race.saved.reader import Cell, Run

HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Chapter:
    """One contest as the report shows it."""

    slug: str
    title: str
    contest: Contest
    verdict: str
    rule: str
    doubts: str
    strips: dict[str, chapters.Strip]
    drawing: Markup | None


def write(run: Run, path: Path | str) -> None:
    """Write the report of a run to `path`; OSError when it cannot be written."""
    Path(path).write_text(page(run), encoding="utf-8")


def page(run: Run) -> str:
    """The whole report as HTML; the same run gives the same text."""
    analysis = analyse(run)
    colours = accents(item.web for contest in analysis.contests for item in contest.standings)
    closed = [contest for contest in analysis.contests if contest.key.load.rate is None]
    return environment().get_template("report.html.j2").render(
        run=run,
        head=run.head,
        analysis=analysis,
        command=shlex.join(run.head.command),
        accents=colours,
        closed=closed,
        matrix=chapters.matrix(closed),
        chapters=[_chapter(contest, colours) for contest in closed],
        pipelining=figures.pipelining(analysis, colours),
        shares=figures.shares(analysis, colours),
        latency=latency.latency(analysis, colours),
        rated=[contest for contest in analysis.contests if _shared_rate(contest)],
        effects=figures.effects(analysis),
        noise=figures.noise(analysis),
        lost=_lost(run),
        interpreters=_interpreters(run),
        cells=run.cells,
        cpu=rounds.cpu_us,
        strongest=max((c.margin_percent for c in closed if c.decided), default=None),
    )  # fmt: skip


def environment() -> Environment:
    """Templates that escape everything, with the words and files that they use."""
    found = Environment(
        loader=PackageLoader("race.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.globals.update(
        words=words,
        page_name=rounds.page_name,
        place=figures.place,
        signs=marks.SIGNS,
        style=Markup((HERE / "templates" / "style.css").read_text()),  # noqa: S704 - our own file
        script=Markup((HERE / "templates" / "table.js").read_text()),  # noqa: S704 - our own file
    )
    return found


def _chapter(contest: Contest, colours: dict[str, str]) -> Chapter:
    load = contest.key.load
    slug = f"{contest.key.page}-{load.connections}-{load.pipeline}"
    return Chapter(
        slug=slug,
        title=figures.place(contest.key.page, load.pipeline),
        contest=contest,
        verdict=chapters.verdict(contest),
        rule=chapters.rule(contest),
        doubts=chapters.doubts(contest),
        strips=chapters.strips(contest),
        drawing=figures.page_bars(contest, colours, f"bars-{slug}"),
    )


def _shared_rate(contest: Contest) -> bool:
    """Whether several contenders served the same fixed rate."""
    served = [item for item in contest.standings if item.rps]
    return contest.key.load.rate is not None and len(served) > 1


def _interpreters(run: Run) -> list[tuple[str, list[tuple[str, str]], list[str]]]:
    """Version, packages in order, and the contenders that ran on it."""
    found: dict[str, tuple[str, list[tuple[str, str]], list[str]]] = {}
    for label, one in (run.head.environment.get("interpreters") or {}).items():
        packages = sorted((one.get("packages") or {}).items(), key=lambda item: item[0].lower())
        python = one.get("python", label)
        found.setdefault(f"{python} {packages}", (python, packages, []))[2].append(label)
    return list(found.values())


def _lost(run: Run) -> list[tuple[str, int, Cell]]:
    """Failed and invalid cells by reason, its figures aside: status, how many, the first one."""
    groups: dict[tuple[object, ...], list[Cell]] = {}
    for cell in run.cells:
        if cell.status != "ok":
            kind = re.sub(r"\d[\d.,]*", "#", cell.reason or "")
            key = (cell.status, cell.label, cell.page, cell.load, kind)
            groups.setdefault(key, []).append(cell)
    return [(cells[0].status, len(cells), cells[0]) for cells in groups.values()]
