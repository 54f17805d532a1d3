"""Draws the requests of an application's tasks: the same bytes, in the same order, for everyone."""

from __future__ import annotations

import csv
import json
import random
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from race.app.scenario import MIX, AppScenario, Request
from race.errors import RaceError

DRAWN = 1000
"""How many requests a task has whose values vary; the load takes them in turn, again and again."""
SEED = 20170501
HOST = "127.0.0.1"
"""The Host of each request, without a port, so that an application that names its own address
answers alike on every port."""

RANGE = r"\{(-?\d+)\.\.(-?\d+)\}"
CHOICE = r"\{([^{}|\"]*(?:\|[^{}|\"]*)+)\}"
COLUMN = r"\{([^{}:|\"]+\.csv):([^{}|\"]+)\}"
_VALUE = re.compile(f"{RANGE}|{CHOICE}|{COLUMN}")
_BRACES = re.compile(r"\{[^{}]*\}")


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


@dataclass
class Values:
    """Draws values; all columns of a CSV file in one request come from one row of it."""

    folder: Path
    chance: random.Random = field(default_factory=lambda: random.Random(SEED))  # noqa: S311 - no secret
    _files: dict[str, list[dict[str, str]]] = field(default_factory=dict)
    _rows: dict[str, dict[str, str]] = field(default_factory=dict)

    def next_request(self) -> None:
        """Take other rows of all files from now on."""
        self._rows.clear()

    def filled(self, text: str, quoted: Callable[[str], str] = str) -> str:
        """Return a text with values in place of what stands for them."""
        return _VALUE.sub(lambda match: quoted(self._value(match)), text)

    def in_json(self, data: Any) -> Any:
        """Return JSON with values; a text that is only a range becomes a number."""
        if isinstance(data, dict):
            return {self.filled(key): self.in_json(value) for key, value in data.items()}
        if isinstance(data, list):
            return [self.in_json(one) for one in data]
        if not isinstance(data, str):
            return data
        text = self.filled(data)
        return int(text) if re.fullmatch(RANGE, data) else text

    def _value(self, match: re.Match[str]) -> str:
        low, high, choices, file, column = match.groups()
        if low is not None:
            if int(low) > int(high):
                raise RaceError(f"{match[0]} is no range: the smaller number comes first")
            return str(self.chance.randint(int(low), int(high)))
        if choices is not None:
            return str(self.chance.choice(choices.split("|")))
        row = self._row(file)
        if column not in row:
            raise RaceError(f"{file} has no column {column!r}: it has {', '.join(row)}")
        return row[column]

    def _row(self, name: str) -> dict[str, str]:
        if name not in self._files:
            self._files[name] = rows(self.folder / name)
        if name not in self._rows:
            self._rows[name] = self.chance.choice(self._files[name])
        return self._rows[name]


def rows(path: Path) -> list[dict[str, str]]:
    """Return the rows of a CSV file with a line of names. RaceError if it has none."""
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            read = list(csv.DictReader(file, restval=""))
    except OSError as error:
        raise RaceError(f"cannot read {path}: {error.strerror}") from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise RaceError(f"{path}: {error}") from None
    if not read:
        raise RaceError(f"{path} needs a line of names and a row of values at least")
    # A row that is longer than the line of names has the rest under None.
    return [{name: text for name, text in row.items() if name is not None} for row in read]


def tasks(scenario: AppScenario) -> dict[str, list[Drawn]]:
    """Return the requests of each task, in the order in which the load sends them."""
    values = Values(Path(scenario.folder))
    each = {one.name: _drawn(one, values) for one in scenario.requests}
    weights = [one.weight for one in scenario.requests]
    chosen = values.chance.choices(list(each), weights, k=DRAWN)
    each[MIX] = [values.chance.choice(each[name]) for name in chosen]
    return {task: each[task] for task in scenario.tasks}


def _drawn(request: Request, values: Values) -> list[Drawn]:
    """Return one request, or `DRAWN` of them where something in it varies."""
    found = [_draw(request, values)]
    if _varies(request):
        found += [_draw(request, values) for _ in range(DRAWN - 1)]
    return found


def _varies(request: Request) -> bool:
    body = [
        request.body,
        json.dumps(request.json, ensure_ascii=False),
        *(request.form or {}).values(),
    ]
    return any(
        _VALUE.search(text or "") for text in [request.path, *request.headers.values(), *body]
    )


def _draw(request: Request, values: Values) -> Drawn:
    values.next_request()
    path = values.filled(request.path, lambda value: quote(value, safe=""))
    path = re.sub(r"[^\x21-\x7e]+", lambda match: quote(match[0]), path)
    if left := _BRACES.search(path):
        forms = "{1..50}, {red|green} or {file.csv:column}"
        raise RaceError(f"request {request.name!r}: {left[0]} stands for no value, as {forms} does")
    content, body = _body(request, values)
    given = {name: values.filled(text) for name, text in request.headers.items()}
    if wrong := [name for name, text in given.items() if re.search(r"[\r\n\x00]", text)]:
        raise RaceError(f"request {request.name!r}: the header {wrong[0]} has a line break")
    named = {name.lower() for name in given}
    own = {"Host": HOST, **content}
    headers = {**{name: text for name, text in own.items() if name.lower() not in named}, **given}
    return Drawn(request, path, tuple(headers.items()), body)


def _body(request: Request, values: Values) -> tuple[dict[str, str], bytes]:
    """Return the body with the headers that describe it; none for a request without one."""
    if request.json is not None:
        kind, text = "application/json", json.dumps(values.in_json(request.json))
    elif request.form is not None:
        form = {name: values.filled(value) for name, value in request.form.items()}
        kind, text = "application/x-www-form-urlencoded", urlencode(form)
    elif request.body is not None:
        kind, text = "text/plain; charset=utf-8", values.filled(request.body)
    elif request.method in ("POST", "PUT", "PATCH"):
        return {"Content-Length": "0"}, b""
    else:
        return {}, b""
    body = text.encode()
    return {"Content-Type": kind, "Content-Length": str(len(body))}, body


def write(requests: Iterable[Drawn], path: Path) -> None:
    """Write requests as wrk_scripts/requests.lua reads them: a line with the length, the bytes."""
    raw = (one.raw for one in requests)
    path.write_bytes(b"".join(b"%d\n%s" % (len(one), one) for one in raw))


def samples(requests: Sequence[Drawn], most: int = 5) -> list[Drawn]:
    """Return the first few requests of each kind, which stand for all in a check."""
    found: dict[str, list[Drawn]] = {}
    for one in requests:
        few = found.setdefault(one.kind.name, [])
        if len(few) < most and one not in few:
            few.append(one)
    return [one for few in found.values() for one in few]
