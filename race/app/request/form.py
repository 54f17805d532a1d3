"""One kind of request as it stands in race.toml."""

from __future__ import annotations

import json
import re
from typing import Annotated, Any

from msgspec import Meta, Struct

from race.errors import RaceError
from race.saved.model import Name, matching

FRAMING = ("content-length", "transfer-encoding")
METHODS = ("get", "post", "put", "patch", "delete", "options")
BODIES = ("json", "form", "body", "file")

Path = Annotated[str, matching(r"^/[^\s\x00-\x1f\x7f]*$", "a path begins with / and has no spaces")]
Title = Annotated[str, matching(r"^[^\x00-\x1f\x7f]+$", "a name is one line")]
Weight = Annotated[float, Meta(gt=0, le=1e9)]
Status = Annotated[int, Meta(ge=200, le=399)]
Header = Annotated[str, matching(r"^[^\r\n\x00]*$", "a header is one line")]
HeaderName = Annotated[
    str, matching(r"^[!#$%&'*+.^_`|~0-9A-Za-z-]+$", "a name has letters, digits and - alone")
]
Cookie = Annotated[str, matching(r"^[^\r\n\x00;]*$", "a cookie is one line without a semicolon")]


class Expected(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The right answer: its status (any below 400 without one), a text in it, its type."""

    status: Status | None = None
    contains: str = ""
    type: str = ""


class Request(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One kind of request: a method and its path, and at most one of `json`, `form`, `body` and
    `file`, a file that is sent as it is. With `files`, by the names of their fields, a form is sent
    as an upload.

    `{1..50}`, `{red|green}` and `{file.csv:column}` in a path, a header, a cookie or a body stand
    for values, which are drawn once, from a seed, and are the same for every contender. A JSON text
    that is only `{1..50}` becomes a number. `compare`: all contenders must answer alike; what may
    differ matches one of the patterns in `mask`.
    """

    name: Title
    get: Path | None = None
    post: Path | None = None
    put: Path | None = None
    patch: Path | None = None
    delete: Path | None = None
    options: Path | None = None
    headers: dict[HeaderName, Header] = {}
    cookies: dict[HeaderName, Cookie] = {}
    json: Any = None
    form: dict[str, str] | None = None
    body: str | None = None
    file: Name | None = None
    files: dict[str, Name] = {}
    weight: Weight = 1.0
    expect: Expected = Expected()
    compare: bool = True
    mask: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if problem := self._problem():
            raise RaceError(f"request {self.name!r}: {problem}")
        for pattern in self.mask:
            try:
                re.compile(pattern)
            except re.error as error:
                raise RaceError(f"request {self.name!r}: mask {pattern!r}: {error}") from None

    def _problem(self) -> str | None:
        """Return what is wrong with it; None if nothing is."""
        given = [name for name in BODIES if getattr(self, name) is not None]
        named = {name.lower() for name in self.headers}
        if len(self._paths()) != 1:
            return f"give one of {', '.join(METHODS)}, with a path"
        if len(given) > 1:
            return f"give one of {', '.join(BODIES)}, not {' and '.join(given)}"
        if self.files and given not in ([], ["form"]):
            return f"files go with form or alone, not with {given[0]}"
        if self.cookies and "cookie" in named:
            return "give cookies, or the header Cookie"
        if named.intersection(FRAMING):
            return f"{' and '.join(FRAMING)} follow from the body"
        return None if _is_json(self.json) else "json has what JSON cannot have"

    def _paths(self) -> list[tuple[str, str]]:
        return [(one, path) for one in METHODS if (path := getattr(self, one)) is not None]

    @property
    def method(self) -> str:
        """The method, in capitals."""
        return self._paths()[0][0].upper()

    @property
    def path(self) -> str:
        """The path, with what stands for values."""
        return self._paths()[0][1]


def _is_json(data: Any) -> bool:
    """Return whether JSON can have the data, which TOML may have more of."""
    try:
        json.dumps(data, allow_nan=False)
    except (TypeError, ValueError):
        return False
    return True
