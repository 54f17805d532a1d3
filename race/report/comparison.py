"""Two runs side by side: terminal, Markdown, HTML."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from markupsafe import Markup
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from race.analysis.compare import Change, Comparison
from race.analysis.values import Key
from race.report import format as words
from race.report import html as pages
from race.report import markdown as marked
from race.report.charts import plots, vega
from race.report.charts.figures import place

_STYLES = {"slower": "bold red", "fails now": "bold red", "faster": "green", "works now": "green"}
_NAMES = ("engine", "measure", "before", "after", "ratio [95 %]", "p, adjusted", "verdict")


@dataclass(frozen=True, slots=True)
class Chapter:
    title: str
    changes: list[Change]
    limit: str
    drawing: Markup | None


def headline(found: Comparison) -> str:
    """The comparison in one sentence."""
    if not found.decided:
        return f"{found.old} and {found.new} have too little in common to tell"
    slower = found.regressions
    if not slower:
        return f"Nothing is slower in {found.new} than in {found.old}"
    if len(slower) > 1:
        return f"{len(slower)} of {len(found.changes)} results are worse in {found.new}"
    (one,) = slower
    where = f"{one.label} on {title(one.key)}"
    return f"{where} {'fails now' if one.verdict == 'fails now' else f'is slower: {one.estimate}'}"


def title(key: Key) -> str:
    rate = f", {key.load.rate:,.0f}/s offered" if key.load.rate is not None else ""
    return place(key.page, key.load.pipeline) + rate


def show(found: Comparison) -> None:
    """Print the comparison to the terminal."""
    console = Console()
    console.print(headline(found), style="bold", markup=False, highlight=False, soft_wrap=True)
    for key, changes in _by_key(found):
        console.print(table(key, changes))
    for line in notes(found):
        console.print(f"! {line}", markup=False, highlight=False, soft_wrap=True)


def table(key: Key, changes: Sequence[Change]) -> Table:
    """One page's changes as a table within 80 columns; what is measured stands above it."""
    heading = f"{title(key)}: {changes[0].measure}"
    result = Table(title=heading, title_justify="left", caption=limit(changes[0]),
                   caption_justify="left", padding=(0, 0, 0, 1), box=box.SIMPLE_HEAD)  # fmt: skip
    result.add_column("engine")  # the one that may wrap: a cut number would be a wrong one
    for name in ("before", "after", "ratio [95 %]", "p", "verdict"):
        result.add_column(name, justify="left" if name == "verdict" else "right", no_wrap=True)
    for change in changes:
        label, _, *texts, verdict = row(change)
        result.add_row(label, *texts, Text(verdict, _STYLES.get(verdict, "")))
    return result


def row(change: Change) -> list[str]:
    """The cells of a change in every kind of table."""
    return [
        change.label,
        change.measure,
        words.number(change.old),
        words.number(change.new),
        str(change.estimate) if change.estimate else words.NONE,
        words.p(change.p_holm),
        change.verdict,
    ]


def limit(change: Change) -> str:
    """What a change on this page had to exceed."""
    if math.isinf(change.limit):
        return "The noise floor is unknown: too few A/A rounds."
    return f"A change counts beyond {100 * math.expm1(change.limit):.1f} %."


def notes(found: Comparison) -> list[str]:
    """The warnings, and the shift that all contenders share."""
    lines = list(found.warnings)
    if found.common is not None:
        kind = "relative to all contenders of the page" if found.relative else "together"
        lines.append(f"The middle of all changes, {kind}: {100 * math.expm1(found.common):+.1f} %.")
    return lines


def markdown(found: Comparison) -> str:
    """The comparison as Markdown."""
    parts = [f"# {marked.escape(headline(found))}"]
    parts += [f"> {marked.escape(line)}" for line in notes(found)]
    for key, changes in _by_key(found):
        rows = [row(change) for change in changes]
        parts.append(f"## {marked.escape(title(key))}\n\n{limit(changes[0])}")
        parts.append(marked.table(_NAMES, rows, left=(0, 1, 6)))
    return "\n\n".join(parts) + "\n"


def html(found: Comparison) -> str:
    """The comparison as one self-contained HTML page."""
    chapters = [
        Chapter(title(key), changes, limit(changes[0]), _drawing(f"page-{number}", key, changes))
        for number, (key, changes) in enumerate(_by_key(found), start=1)
    ]
    template = pages.environment().get_template("compare.html.j2")
    return template.render(found=found, headline=headline(found), notes=notes(found),
                           chapters=chapters, names=_NAMES, row=row)  # fmt: skip


def _by_key(found: Comparison) -> list[tuple[Key, list[Change]]]:
    return [(key, list(group)) for key, group in groupby(found.changes, lambda one: one.key)]


def _drawing(name: str, key: Key, changes: Sequence[Change]) -> Markup | None:
    """After over before, with the limit as a band around 1."""
    rows = [
        plots.ratio_row(change.label, change.estimate, _colour(change))
        for change in changes
        if change.estimate
    ]
    if not rows:
        return None
    band = changes[0].limit if math.isfinite(changes[0].limit) else 0.0
    text = "; ".join(f"{row['label']} {row['text']}" for row in rows)
    return vega.figure(
        name, lambda narrow: plots.ratios(rows, 100 * math.expm1(band), narrow),
        f"{title(key)}: after over before", text,
    )  # fmt: skip


def _colour(change: Change) -> str:
    named = {"slower": "var(--accent)", "faster": "var(--sanic)"}
    return named.get(change.verdict, "var(--muted)")
