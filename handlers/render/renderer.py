"""The interface of a renderer, and the Jinja environment that all renderers share."""

from __future__ import annotations

from typing import Any, Optional, Sequence

import jinja2
import markupsafe
from typing_extensions import Protocol

from data_interface.reports.rows import Report
from data_interface.store import Ballot, Statistics
from handlers.render.static import static_link
from runtime.paths import ROOT


class Renderer(Protocol):
    """Renders pages as UTF-8; equal arguments give equal bytes on every interpreter.

    A lone surrogate, which UTF-8 cannot express, becomes a question mark.
    """

    def index(self, ballot: Ballot, notice: Optional[str]) -> bytes:
        """Render Index; ``notice`` is None, "counted" or "refused"."""

    def top(self, stickers: Sequence[Sequence[Any]], best: bool) -> bytes:
        """Render Good or Bad; the stickers are rows with the fields of ``Sticker``, in order."""

    def about(self, statistics: Optional[Statistics]) -> bytes:
        """Render About; the statistics are None before the first reading."""

    def report(self, found: Report, now: int) -> bytes:
        """Render a report as of the moment ``now``."""

    def manage(self, view: str, **values: Any) -> bytes:
        """Render a page under ``/manage``."""

    def error(self, status: int, title: str, message: str) -> bytes:
        """Render the page for an error that ends a request."""


def environment() -> jinja2.Environment:
    """Return the environment of the site's templates: autoescaped, and read once.

    Two filters take constants only, so Jinja calls them when it compiles a template: `static` is
    the address of a static file, `text_of` another template's text, put in at compile time.
    """
    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader(str(ROOT / "templates")),
        autoescape=True,
        auto_reload=False,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    # No template uses Jinja's own globals, which each rendering would copy at 1 us a piece.
    made.globals.clear()

    def text_of(name: str, **values: str) -> markupsafe.Markup:
        text = made.get_template(name).render(**values)
        return markupsafe.Markup(text)  # noqa: S704 (autoescaped when it was rendered)

    made.filters["static"] = static_link
    made.filters["text_of"] = text_of
    return made
