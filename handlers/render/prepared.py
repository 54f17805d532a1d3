"""Pages rendered when the server starts: each becomes a ``%`` format of bytes.

A request only fills in values, which are escaped here; cards and titles are cached. No framework
does this for its users, so it is a level of the factor ``render`` and off by default.
"""

from __future__ import annotations

from functools import lru_cache, partial
from typing import Any, Dict, Optional, Sequence, Tuple

import jinja2
from markupsafe import escape

from data_interface.store import Ballot, Statistics
from handlers.render.manage import ManageRenderer
from handlers.render.renderer import environment
from handlers.render.reports import ReportRenderer
from handlers.render.shapes import cut, marks, shape

# The catalogue has 1,800 titles; Good and Bad show only the stickers at both ends.
TITLES_CACHED = 4_096
CARDS_CACHED = 1_024

PAIR = "plus minus left_id:d left minus plus right_id:d right"
CARD = "id:d title rating:d up:d down:d"
ERROR = "title status:d title message status:d"
NUMBERS = " ".join(Statistics._fields)


class PreparedRenderer:
    """Fills formats that were made from the templates."""

    def __init__(self, engine: str, python: str) -> None:
        templates = environment()
        index, about = templates.get_template("index.html"), templates.get_template("about.html")
        self._index = {
            notice: shape(index.render(**marks(PAIR), notice=notice), PAIR)
            for notice in (None, "counted", "refused")
        }
        card, self._top = _top(templates.get_template("top.html"))
        self._card = lru_cache(maxsize=CARDS_CACHED)(partial(_card, card))
        served_by = {"engine": engine, "python": python}
        self._about = shape(about.render(known=True, **marks(NUMBERS), **served_by), NUMBERS)
        self._about_unknown = about.render(known=False, **served_by).encode()
        self._error = shape(templates.get_template("error.html").render(**marks(ERROR)), ERROR)
        # Every report is different, and so is every form: there is nothing to prepare.
        self.report = ReportRenderer(templates).report
        self.manage = ManageRenderer(templates).manage

    def index(self, ballot: Ballot, notice: Optional[str]) -> bytes:
        _, left, left_token, right, right_token = ballot
        plus, minus = _token(left_token), _token(right_token)
        left_title, right_title = _text(left[2]), _text(right[2])
        return self._index[notice] % (
            plus,
            minus,
            left[0],
            left_title,
            minus,
            plus,
            right[0],
            right_title,
        )

    def top(self, stickers: Sequence[Sequence[Any]], best: bool) -> bytes:
        head, tail = self._top[best]
        return b"".join([head, *map(self._card, map(tuple, stickers)), tail])

    def about(self, statistics: Optional[Statistics]) -> bytes:
        if statistics is None:
            return self._about_unknown
        return self._about % _grouped(statistics)

    def error(self, status: int, title: str, message: str) -> bytes:
        name = _text(title)
        return self._error % (name, status, name, _text(message), status)


def _top(template: jinja2.Template) -> Tuple[bytes, Dict[bool, Tuple[bytes, bytes]]]:
    """Return the format of a card, and the text before and after the cards on Good and on Bad."""
    number, *rest = marks(CARD).values()
    card, around = b"", {}
    for best in (True, False):
        none = template.render(stickers=[], best=best)
        one = template.render(stickers=[(number, None, *rest)], best=best)
        before, turn, after = cut(none, one)
        card, around[best] = shape(turn, CARD), (before.encode(), after.encode())
    return card, around


def _card(card: bytes, sticker: Tuple[Any, ...]) -> bytes:
    """Return the card of a sticker, which depends on the sticker alone."""
    number, _, title, rating, up, down = sticker
    return card % (number, _text(title), rating, up, down)


@lru_cache(maxsize=4)
def _grouped(statistics: Statistics) -> Tuple[bytes, ...]:
    """Return the numbers with commas, cached because they change only every few seconds."""
    return tuple(format(number, ",").encode() for number in statistics)


@lru_cache(maxsize=TITLES_CACHED)
def _text(text: str) -> bytes:
    """Return the escaped text in UTF-8; a lone surrogate becomes a question mark."""
    return escape(text).encode("utf-8", "replace")


def _token(token: str) -> bytes:
    """Return an escaped token; a test whether it needs escaping is cheaper."""
    return token.encode() if token.isalnum() else _text(token)
