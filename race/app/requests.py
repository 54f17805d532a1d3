"""Draws the requests of an application's tasks: the same bytes, in the same order, for everyone."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from race.app.place import HOST
from race.app.request.body import body, texts
from race.app.request.form import Request
from race.app.request.values import VALUE, Values
from race.app.scenario import MIX, AppScenario
from race.errors import RaceError

DRAWN = 1000
"""How many requests a task has whose values vary; the load takes them in turn, again and again."""
MOST_BYTES = 1 << 28
"""The most that a load generator has to keep in memory."""
_BRACES = re.compile(r"\{[^{}]*\}?|\}")
"""This finds braces that stand for no value, and one that lacks its other half."""


@dataclass(frozen=True)
class Drawn:
    """One request as it is sent; `kind` is the request of the scenario that it was drawn from."""

    kind: Request
    path: str
    headers: tuple[tuple[str, str], ...]
    body: bytes

    @property
    def raw(self) -> bytes:
        """The bytes on the wire."""
        lines = [f"{self.kind.method} {self.path} HTTP/1.1"]
        lines += [f"{name}: {value}" for name, value in self.headers]
        return "\r\n".join([*lines, "", ""]).encode() + self.body

    @property
    def plain(self) -> bool:
        """Whether it is a GET without headers of its own."""
        return self.kind.method == "GET" and len(self.headers) == 1

    def __str__(self) -> str:
        return f"{self.kind.method} {self.path}"


def tasks(scenario: AppScenario) -> dict[str, list[Drawn]]:
    """Return the requests of each task, in the order in which the load sends them."""
    values = Values(Path(scenario.folder))
    each = {one.name: _drawn(one, values) for one in scenario.requests}
    weights = [one.weight for one in scenario.requests]
    chosen = values.chance.choices(list(each), weights, k=DRAWN)
    each[MIX] = [values.chance.choice(each[name]) for name in chosen]
    for task in scenario.tasks:
        if (size := sum(len(one.body) for one in each[task])) > MOST_BYTES:
            many = f"{task!r}: {len(each[task]):,} bodies of {size / 1e6:,.0f} MB together"
            raise RaceError(f"request {many} are too large; one without values is kept once")
    return {task: each[task] for task in scenario.tasks}


def _drawn(request: Request, values: Values) -> list[Drawn]:
    """Return one request, or `DRAWN` of them where something in it varies."""
    found = [_draw(request, values)]
    if _varies(request):
        found += [_draw(request, values) for _ in range(DRAWN - 1)]
    return found


def _varies(request: Request) -> bool:
    return any(VALUE.search(text) for text in (request.path, *texts(request)))


def _draw(request: Request, values: Values) -> Drawn:
    values.next_request()
    path = values.filled(request.path, lambda value: quote(value, safe=""))
    path = re.sub(r"[^\x21-\x7e]+", lambda match: quote(match[0]), path)
    if left := _BRACES.search(path):
        forms = "{1..50}, {red|green} or {file.csv:column}"
        raise RaceError(f"request {request.name!r}: {left[0]} stands for no value, as {forms} does")
    described, content = body(request, values)
    given = {name: values.filled(text) for name, text in request.headers.items()}
    if cookies := {name: values.filled(text) for name, text in request.cookies.items()}:
        given["Cookie"] = "; ".join(f"{name}={text}" for name, text in cookies.items())
    if wrong := [name for name, text in given.items() if re.search(r"[\r\n\x00]", text)]:
        raise RaceError(f"request {request.name!r}: the header {wrong[0]} has a line break")
    if wrong := [name for name, text in cookies.items() if ";" in text]:
        raise RaceError(f"request {request.name!r}: the cookie {wrong[0]} has a semicolon")
    named = {name.lower() for name in given}
    # Without a port, an application that names its own address answers alike on every port.
    own = {"Host": HOST, **described}
    headers = {**{name: text for name, text in own.items() if name.lower() not in named}, **given}
    return Drawn(request, path, tuple(headers.items()), content)


def write(requests: Sequence[Drawn], path: Path) -> None:
    """Write requests as wrk_scripts/requests.lua reads them: a line with the length, the bytes."""
    with path.open("wb") as file:
        for one in requests:
            file.write(b"%d\n%s" % (len(one.raw), one.raw))


def samples(requests: Sequence[Drawn], most: int = 5) -> list[Drawn]:
    """Return the first few requests of each kind, which stand for all in a check."""
    found: dict[str, list[Drawn]] = {}
    for one in requests:
        few = found.setdefault(one.kind.name, [])
        if len(few) < most and one not in few:
            few.append(one)
    return [one for few in found.values() for one in few]
