"""Pages rendered by MiniJinja at each request: the templates of Jinja in an engine written in Rust.

It takes the templates as they are, but for two things, which are put into other words as they are
read: what Jinja computes when it compiles a template, and the operator % of texts.
"""

from __future__ import annotations

import re
from typing import Any, Dict, Match, Sequence

import minijinja

from handlers.render.jinja import JinjaRenderer
from handlers.render.renderer import environment
from runtime.paths import ROOT

# A text with one of our filters, which MiniJinja would call at each rendering.
CONSTANT = re.compile(r"""\{\{ ("[^"]*"|'[^']*') \| (static|text_of)\b[^{}]*\}\}""")
# MiniJinja has Jinja's filter ``format``, which does the same.
FORMATTED = re.compile(r'("%[^"]*") % ([\w.]+)')
# Jinja's way to escape what MiniJinja escapes in another way; it leaves a slash as it is.
ESCAPES = {"&quot;": "&#34;", "&#x27;": "&#39;", "&#x2f;": "/"}


class MinijinjaRenderer(JinjaRenderer):
    """Renders a template at each request."""

    def __init__(self, engine: str, python: str) -> None:
        templates = Templates()
        super().__init__(engine, python, templates)
        self._wall = templates.get_template("top.html")

    def top(self, stickers: Sequence[Sequence[Any]], best: bool) -> bytes:
        # A driver's rows need not be sequences for MiniJinja.
        rows = [[id_, pack, _text(title), *score] for id_, pack, title, *score in stickers]
        return self._wall.html(stickers=rows, best=best).encode()


class Templates:
    """The site's templates in an environment of MiniJinja with the settings of Jinja's."""

    def __init__(self) -> None:
        self._environment = minijinja.Environment(
            templates=_sources(),
            undefined_behavior="strict",
            trim_blocks=True,
            lstrip_blocks=True,
        )

    def get_template(self, name: str) -> Template:
        """Return a template of the site."""
        return Template(self._environment, name)


class Template:
    """A template with the call and the output of Jinja's."""

    def __init__(self, found: Any, name: str) -> None:
        self._render_template = found.render_template
        self._name = name

    def render(self, **values: Any) -> str:
        """Return the HTML, with Jinja's escapes."""
        return self.html(**{name: _plain(value) for name, value in values.items()})

    def html(self, **plain: Any) -> str:
        """Return the HTML of values in plain types."""
        html: str = self._render_template(self._name, **plain)
        # No other entity has these texts in it, and no template has one itself.
        for escape, wanted in ESCAPES.items():
            html = html.replace(escape, wanted)
        return html


def _plain(value: Any) -> Any:
    """Return a value in types of which MiniJinja reads the fields, and text that Rust takes."""
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return {name: _plain(one) for name, one in value._asdict().items()}
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    return value


def _text(text: str) -> str:
    """Return the text with a question mark for each lone surrogate, which Rust does not take."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def _sources() -> Dict[str, str]:
    """Return the templates by name, in words of MiniJinja. Raise ValueError if one has an escape.

    An escape of its own would be taken for one of MiniJinja's.
    """
    jinja = environment()

    def computed(constant: Match[str]) -> str:
        return jinja.from_string(constant.group()).render()

    found = {}
    for name in jinja.list_templates():
        source = (ROOT / "templates" / name).read_text(encoding="utf-8")
        if any(escape in source for escape in ESCAPES):
            raise ValueError(f"the template {name} has one of {', '.join(ESCAPES)}")
        found[name] = FORMATTED.sub(r"\1 | format(\2)", CONSTANT.sub(computed, source))
    return found
