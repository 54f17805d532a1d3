"""The HTML of the pages under ``/manage``, the same for every renderer."""

from __future__ import annotations

from typing import Any

VIEWS = ("packs", "pack", "sticker", "form", "delete", "login")


class ManageRenderer:
    """Renders these pages at each request: each visit has a form token of its own."""

    def __init__(self, templates: Any) -> None:
        self._templates = {view: templates.get_template(f"manage/{view}.html") for view in VIEWS}

    def manage(self, view: str, **values: Any) -> bytes:
        """Render a view with the values that its template has."""
        html: str = self._templates[view].render(**values)
        return html.encode("utf-8", "replace")
