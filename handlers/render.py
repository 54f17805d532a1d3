"""The site's HTML, from the Jinja templates, at the price of joining bytes.

A template is rendered once, when the server starts, with marks in place of what changes; the
result becomes one ``%`` format of bytes. A request only fills it in. Everything that is filled in
was escaped here.
"""

from __future__ import annotations

import hashlib
import re
from functools import lru_cache, partial
from typing import Any, Dict, List, Optional, Tuple

import jinja2
from markupsafe import escape

from data_interface.store import Ballot, Statistics, Sticker
from runtime.paths import ROOT

_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
}
_MARK = re.compile("\x02([a-z_]+)\x03")
_INDENT = re.compile(r"\n\s+")

# The catalogue has 1,800 titles; Good and Bad show stickers of the two ends only.
TITLES_CACHED = 4_096
CARDS_CACHED = 1_024


@lru_cache(maxsize=1)
def static_files() -> Dict[str, Tuple[str, bytes]]:
    """The files under ``static/``: name -> (content type, content). Read once."""
    return {
        path.name: (_TYPES[path.suffix], path.read_bytes())
        for path in sorted((ROOT / "static").iterdir())
        if path.suffix in _TYPES
    }


def static_link(name: str) -> str:
    """The address of a static file; it changes with the content, so it may be kept for ever."""
    return f"/static/{name}?v={hashlib.sha256(static_files()[name][1]).hexdigest()[:12]}"


class Renderer:
    """The pages as bytes of UTF-8; equal arguments give equal bytes on every interpreter.

    ``engine`` and ``python`` (a version) are what About says of the server.
    """

    def __init__(self, engine: str, python: str) -> None:
        shape = _Templates().shape
        pair = "plus minus left_id:d left minus plus right_id:d right"
        self._index = {
            notice: shape("index.html", pair, notice=notice)
            for notice in (None, "counted", "refused")
        }
        self._top = {best: shape("top.html", "cards", best=best) for best in (True, False)}
        card = shape("card.html", "id:d title rating:+d up:d down:d")
        self._card = lru_cache(maxsize=CARDS_CACHED)(partial(_card, card))
        served_by = {"engine": engine, "python": python}
        numbers = {name: _mark(name) for name in Statistics._fields}
        self._about = shape("about.html", " ".join(numbers), statistics=numbers, **served_by)
        self._about_unknown = shape("about.html", "", statistics=None, **served_by) % ()
        self._error = shape("error.html", "title status:d title message status:d")

    def index(self, ballot: Ballot, notice: Optional[str]) -> bytes:
        """Index; ``notice`` is None, "counted" or "refused"."""
        _, (left, left_token), (right, right_token) = ballot
        plus, minus = _token(left_token), _token(right_token)
        left_title, right_title = _text(left.title), _text(right.title)
        return self._index[notice] % (
            plus,
            minus,
            left.id,
            left_title,
            minus,
            plus,
            right.id,
            right_title,
        )

    def top(self, stickers: List[Sticker], best: bool) -> bytes:
        """Good or Bad with these stickers, in this order."""
        return self._top[best] % b"".join(map(self._card, stickers))

    def about(self, statistics: Optional[Statistics]) -> bytes:
        """About; None for statistics that are not known yet."""
        if statistics is None:
            return self._about_unknown
        return self._about % _grouped(statistics)

    def error(self, status: int, title: str, message: str) -> bytes:
        """The page for an error that ends a request."""
        name = _text(title)
        return self._error % (name, status, name, _text(message), status)


class _Templates:
    """The Jinja environment, and the way from a template to a ``%`` format."""

    def __init__(self) -> None:
        self._jinja = jinja2.Environment(
            loader=jinja2.FileSystemLoader(str(ROOT / "templates")),
            autoescape=True,
            undefined=jinja2.StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._jinja.filters["static"] = static_link

    def shape(self, name: str, fields: str, **known: Any) -> bytes:
        """A format of bytes that takes ``fields`` in this order, with ``known`` filled in.

        A field is ``name`` (bytes) or ``name:d`` (a number, in any conversion of ``%``). A
        ValueError says when the template has other fields or another order.
        """
        pairs = [field.partition(":") for field in fields.split()]
        marks = {field: _mark(field) for field, _, _ in pairs}
        html = self._jinja.get_template(name).render(**marks, **known)
        texts = _MARK.split(_INDENT.sub("\n", html).strip().replace("%", "%%"))
        if texts[1::2] != [field for field, _, _ in pairs]:
            raise ValueError(f"{name} has the fields {texts[1::2]}, not {fields}")
        texts[1::2] = ["%" + (kind or "s") for _, _, kind in pairs]
        return "".join(texts).encode()


def _mark(field: str) -> str:
    return f"\x02{field}\x03"


def _card(shape: bytes, sticker: Sticker) -> bytes:
    """A sticker on Good or Bad: a function of the sticker alone, so it may be kept by its value."""
    number, _, title, rating, up, down = sticker
    return shape % (number, _text(title), rating, up, down)


@lru_cache(maxsize=4)
def _grouped(statistics: Statistics) -> Tuple[bytes, ...]:
    """Digits in groups of three; kept, because the statistics change every few seconds only."""
    return tuple(format(number, ",").encode() for number in statistics)


@lru_cache(maxsize=TITLES_CACHED)
def _text(text: str) -> bytes:
    """Escaped; a lone surrogate, which UTF-8 cannot say, becomes a question mark."""
    return escape(text).encode("utf-8", "replace")


def _token(token: str) -> bytes:
    """Letters and digits need no escaping, and asking is cheaper than escaping."""
    return token.encode() if token.isalnum() else _text(token)
