"""Jinja's environment of the site's templates, for all applications."""

from __future__ import annotations

import hashlib

import jinja2
import markupsafe

from runtime.paths import ROOT

FOLDER = ROOT / "templates"


def static(name: str) -> str:
    """Return the address of a static file, with a version made from its content."""
    content = (ROOT / "static" / name).read_bytes()
    return f"/static/{name}?v={hashlib.sha256(content).hexdigest()[:12]}"


def complete(templates: jinja2.Environment) -> None:
    """Add what the site's templates use."""

    def text_of(name: str, **values: str) -> markupsafe.Markup:
        """Return another template's text; Jinja puts it in when it compiles a template."""
        text = templates.get_template(name).render(**values)
        return markupsafe.Markup(text)  # noqa: S704

    templates.trim_blocks = templates.lstrip_blocks = True
    templates.filters["static"] = static
    templates.filters["text_of"] = text_of


def environment() -> jinja2.Environment:
    """Return an environment of its own, whose templates are read once."""
    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader(str(FOLDER)), autoescape=True, auto_reload=False
    )
    made.globals.clear()  # as the site does: no template uses Jinja's own
    complete(made)
    return made
