"""Additions to Locust's HTML that have no public way, checked with the version in CHECKED.

Its page has public ways for tabs, tables and downloads, and Jinja's for the order of the fields
(`web_page`). It has none for a title over the fields of each shape, and its report none for our
verdict. Both HTML files have a `<head>` and an element ROOT that the interface builds itself in;
an interface without them shows nothing of ours, and nothing else changes.
"""

from __future__ import annotations

from html import escape
from typing import Protocol

from locustfiles.run.samples import Sample, charts
from locustfiles.run.verdict import RunVerdict
from locustfiles.shapes import SHAPES

CHECKED = "2.47.0"
HEAD_END = "</head>"
ROOT = '<div id="root"></div>'
BANNER = "margin:0;padding:8px 24px;color:#fff;background:{ink};font:16px system-ui"
GREEN, RED, BLUE = "#155724", "#b00020", "#1b4965"


class ReportedRun(Protocol):
    """A `record.LocustRun` as the report shows it; importing that would import Locust."""

    verdict: RunVerdict

    def lines(self) -> list[str]:
        """Return the verdict and the finding."""

    def sampled(self) -> list[Sample]:
        """Return what server and database did."""


def marked(page: str, run: ReportedRun) -> str:
    """Return Locust's HTML report with our verdict above it and our charts below it."""
    ink = GREEN if run.verdict.valid else RED
    drawn = charts(run.sampled())
    style = "max-width:1000px;margin:0 auto;padding:24px;font:16px system-ui"
    below = f'<section style="{style}"><h2>Server and database</h2>{drawn}</section>'
    above = "".join(banner(line, ink) for line in run.lines())
    return page.replace(ROOT, above + ROOT + (below if drawn else ""), 1)


def with_groups(page: str, engine: str) -> str:
    """Return Locust's start page with the engine, and the fields of each shape under its name."""
    style = f"<style>{group_css()}</style>"
    above = banner(f"The site runs on {engine}", BLUE) if engine else ""
    return page.replace(HEAD_END, style + HEAD_END, 1).replace(ROOT, above + ROOT, 1)


def group_css() -> str:
    """Return rules that put a shape's name above its first field, and show the fields of a chosen
    shape alone.

    A field is an element around an element around its `<input>`, which has the field's name.
    """
    rules = []
    for shape, kind in SHAPES.items():
        names = [camel_case(field.name) for field in kind.FIELDS]
        first = f'div:has(>div>input[name="{names[0]}"])'
        rules.append(f"{first}{{margin-top:40px}}")
        rules.append(
            f'{first}::before{{content:"{shape}";position:absolute;top:-40px;'
            "font:bold 18px/40px system-ui}"
        )
        inputs = ",".join(f'[name="{name}"]' for name in names)
        other = f'select[name="shapeClass"]>option:checked:not([value="{shape}"],[value="Default"])'
        rules.append(f"body:has({other}) div:has(>div>input:is({inputs})){{display:none}}")
    return "".join(rules)


def camel_case(name: str) -> str:
    """Return a field's name as Locust's page writes it: stepsRate for steps_rate."""
    first, *others = name.split("_")
    return first + "".join(map(str.capitalize, others))


def banner(line: str, ink: str) -> str:
    """Return a line on a coloured ground."""
    return f'<p role="status" style="{BANNER.format(ink=ink)}">{escape(line)}</p>'
