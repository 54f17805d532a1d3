"""Templates that escape everything, with the words and files that they use."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from race.analysis.model import Analysis
from race.report import format as words
from race.report.charts.colours import palette

HERE = Path(__file__).parent / "templates"
SCRIPTS = ("fold.js", "table.js")


@cache
def environment() -> Environment:
    """Return the templates of the report."""
    found = Environment(
        loader=PackageLoader("race.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=together,
    )
    found.globals.update(
        words=words,
        style=Markup(_own("style.css")),  # noqa: S704 - our own file
        script=Markup("".join(_own(name) for name in SCRIPTS)),  # noqa: S704 - our own files
    )
    return found


def together(value: Any) -> Any:
    """Return text in which no line breaks between a number and its unit."""
    return value.replace(" %", "\u00a0%") if isinstance(value, str) else value


def _own(name: str) -> str:
    """Return a file beside the templates."""
    return (HERE / name).read_text(encoding="utf-8")


def filled(name: str, analysis: Analysis, **more: Any) -> Markup:
    """Return a template with an analysis in it, its discipline and its palette."""
    text = (
        environment()
        .get_template(f"{name}.html.j2")
        .render(
            analysis=analysis,
            head=analysis.race.head,
            discipline=analysis.discipline,
            palette=palette(analysis),
            **more,
        )
    )
    return Markup(text)  # noqa: S704 - the template escaped it


class ReportChapter(NamedTuple):
    """A chapter of the report: its heading, and what stands below it."""

    title: str
    body: Markup


def chapter(title: str, name: str, analysis: Analysis, **more: Any) -> ReportChapter:
    """Return a chapter that is a template with an analysis in it."""
    return ReportChapter(title, filled(name, analysis, **more))
