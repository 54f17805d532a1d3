"""Vega-Lite charts as inline SVG that takes its colours and fonts from the page's style sheet.

Colours are CSS variables (`var(--ink)`), so one drawing serves light, dark and paper. Each chart is
drawn twice, for wide and for narrow screens, because text that is scaled down cannot be read.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import vl_convert
from markupsafe import Markup, escape

Spec = dict[str, Any]

WIDE, NARROW = 980, 326
_SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
_NOISE = re.compile(
    r' (?:aria-hidden="true"|aria-roledescription="[^"]*"|pointer-events="none"|opacity="1"'
    r'|role="graphics-[a-z]+"|font-family="[^"]*"|xmlns:xlink="[^"]*"|version="1.1"|class="[^"]*")'
)
_INVISIBLE = re.compile(r'<path[^>]*? d="(?:M0,0h0v0h0Z)?"[^>]*?/>|<path[^>]*?display="none"/>')
_EMPTY = re.compile(r"<g(?: [^>]*)?></g>")
_TAG = re.compile(r"<[^>]*>")
_LONG = re.compile(r"(\d+\.\d{2})\d+")

CONFIG: Spec = {
    "aria": False,
    "background": "transparent",
    "view": {"stroke": None},
    "concat": {"spacing": 26},
    "axis": {
        "labelColor": "var(--muted)",
        "labelFontSize": 12,
        "titleColor": "var(--muted)",
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "gridColor": "var(--line)",
        "domainColor": "var(--line)",
        "tickColor": "var(--line)",
        "labelLimit": 260,
        "titlePadding": 8,
    },
    "axisY": {"domain": False, "ticks": False},
    "title": {"color": "var(--ink)", "fontSize": 13, "anchor": "start", "offset": 8},
    "text": {"color": "var(--ink)", "fontSize": 12},
    "rule": {"color": "var(--ink)"},
}


def figure(name: str, build: Callable[[bool], Spec], title: str, description: str) -> Markup:
    """Both drawings of a chart; `build(narrow)` gives the Vega-Lite specification.

    `name` is unique on the page; `title` and `description` are the text alternative that a screen
    reader speaks.
    """
    figures = []
    for narrow, kind in ((False, "wide"), (True, "narrow")):
        drawn = vl_convert.vegalite_to_svg({"$schema": _SCHEMA, "config": CONFIG, **build(narrow)})
        slim = _slim(drawn, f"{name}-{kind}", title, description)
        figures.append(f'<div class="drawing {kind}">{slim}</div>')
    return Markup("".join(figures))  # noqa: S704 - every text in it is escaped


def _slim(drawn: str, name: str, title: str, description: str) -> str:
    """Without what a still picture on a page does not need, and with a text."""
    drawn = _NOISE.sub("", drawn)
    drawn = _INVISIBLE.sub("", drawn)
    before = ""
    while before != drawn:
        before, drawn = drawn, _EMPTY.sub("", drawn)
    # Coordinates, and not what is written: limits are rounded outwards already.
    drawn = _TAG.sub(lambda tag: _LONG.sub(r"\1", tag.group()), drawn)
    head = f'<svg role="img" aria-labelledby="{name}-t {name}-d"'
    drawn = drawn.replace("<svg", head, 1)
    texts = (
        f'<title id="{name}-t">{escape(title)}</title>'
        f'<desc id="{name}-d">{escape(description)}</desc>'
    )
    return drawn.replace(">", ">" + texts, 1)
