"""Reads the forms of Index as a browser does. Standard library only."""

from __future__ import annotations

from html.parser import HTMLParser

Form = dict[str, str]
"""The fields that a form sends, by name."""

FIELDS = {"vote_plus", "vote_minus"}


class _Forms(HTMLParser):
    """Collects the fields of every form that posts to Index."""

    def __init__(self) -> None:
        super().__init__()
        self.forms: list[Form] = []
        self._open: Form | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "form":
            posts = (given.get("method") or "").lower() == "post" and given.get("action") == "/"
            self._open = {} if posts else None
        elif tag == "input" and self._open is not None and given.get("name"):
            self._open[given["name"] or ""] = given.get("value") or ""

    def handle_endtag(self, tag: str) -> None:
        if tag == "form" and self._open is not None:
            self.forms.append(self._open)
            self._open = None


def read_ballot(html: str) -> list[Form]:
    """Return the two forms that vote, left and right, or none if the page has no whole ballot."""
    parser = _Forms()
    parser.feed(html)
    parser.close()
    forms = [form for form in parser.forms if set(form) == FIELDS and all(form.values())]
    tokens = [set(form.values()) for form in forms]
    return forms if all(one == tokens[0] and len(one) == len(FIELDS) for one in tokens) else []
