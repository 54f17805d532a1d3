"""What a renderer does, and the Jinja environment that all of them read the templates with."""

from __future__ import annotations

from typing import Any, Optional, Sequence

import jinja2
from typing_extensions import Protocol

from data_interface.reports.rows import Report
from data_interface.store import Ballot, Statistics
from handlers.render.static import static_link
from runtime.paths import ROOT


class Renderer(Protocol):
    """The pages as bytes of UTF-8; equal arguments give equal bytes on every interpreter.

    What UTF-8 cannot say, a lone surrogate, becomes a question mark.
    """

    def index(self, ballot: Ballot, notice: Optional[str]) -> bytes:
        """Index; ``notice`` is None, "counted" or "refused"."""

    def top(self, stickers: Sequence[Sequence[Any]], best: bool) -> bytes:
        """Good or Bad with these stickers, in this order: rows with the fields of ``Sticker``."""

    def about(self, statistics: Optional[Statistics]) -> bytes:
        """About; None for statistics that are not known yet."""

    def report(self, found: Report, now: int) -> bytes:
        """A page of the reporting section, as of the moment ``now``."""

    def error(self, status: int, title: str, message: str) -> bytes:
        """The page for an error that ends a request."""


def environment() -> jinja2.Environment:
    """Of the site's templates, with autoescape on, and no look at their files once they are read.

    ``static`` is a filter of constants only, so Jinja calls it when it compiles a template.
    """
    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader(str(ROOT / "templates")),
        autoescape=True,
        auto_reload=False,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["static"] = static_link
    return made
