"""Operations: what drivers do, as data. All drivers of a database do the same ones.

Each is a file `toolbench/<database>/operations/<name>.toml` with the fields of `OperationSpec`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta, Struct
from msgspec.structs import replace

from race.errors import RaceError, unknown
from race.plan.read import converted, toml
from race.saved.model import Name
from runtime.paths import ROOT
from toolbench.runner.values import decode

FOLDER = ROOT / "toolbench"
KINDS: Mapping[str, Sequence[str]] = {
    "postgres": ("query", "batch", "copy"),
    "mysql": ("query", "batch", "connect", "connects", "pool", "burst"),
    "tarantool": ("select", "upsert", "eval", "call", "ping"),
    "sqlalchemy": ("workload",),
}
"""Folder to the kinds of operations that its drivers have calls for."""
NEEDED: Mapping[str, str] = {
    "copy": "table",
    **dict.fromkeys(("batch", "burst", "connects"), "records"),
}
"""Kind to the key that its operations need."""
EPOCH = datetime(2024, 2, 29)  # noqa: DTZ001  the columns have no zone
FORMS: Mapping[str, Callable[[int], Any]] = {
    "int": lambda number: number,
    "text": lambda number: f"record {number:06d}",
    "float": lambda number: number / 2,
    "bool": lambda number: number % 2 == 0,
    "bytes": lambda number: {"bytes": f"{number:08x}"},
    "decimal": lambda number: {"decimal": f"{number // 100}.{number % 100:02}"},
    "datetime": lambda number: {"datetime": (EPOCH + timedelta(seconds=number)).isoformat()},
}
"""Form of a value to what makes it from the number of its record, in JSON."""
AtLeastOne = Annotated[int, Meta(ge=1)]
SIZE = re.compile(r"\{(\w+)\}")


class Records(Struct, frozen=True, forbid_unknown_fields=True):
    """`count` records that an operation writes, each with a value of every form in `form`."""

    count: AtLeastOne
    form: Annotated[tuple[Name, ...], Meta(min_length=1)]


class OperationSpec(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One operation. Its `name` and `database` come from its path; reports sort by `place`.

    `kind` is one for each thing that drivers do differently. `sql` has `$1` for its `args` (JSON
    values; `{bytes = "00ff"}` where JSON has no type). `columns` are pairs of a name and a database
    type, of the rows that it returns or writes into `table`. `prepare` are statements that are run
    before a race, and may be run again. `rows` is how many rows one operation reads or writes;
    without it the database decides. A driver's own pool has `pool` connections, the least and the
    most of them. `cleanup` are statements that are run when the race ends.

    `sizes` are numbers that a scenario may change, by name; `{name}` stands for one in a text, and
    in place of a number.

    A write has `after`, a question that is asked when the operation was done `checks` times;
    `after_rows`, the only right answer to it, without which it is the records; and `reset`, which
    is run before each check.
    """

    title: Name
    text: Name
    kind: Name
    sql: str = ""
    args: tuple[Any, ...] = ()
    columns: tuple[tuple[Name, Name], ...] = ()
    table: str = ""
    prepare: tuple[Name, ...] = ()
    rows: AtLeastOne | None = None
    records: Records | None = None
    after: str = ""
    after_rows: tuple[tuple[Any, ...], ...] = ()
    reset: tuple[Name, ...] = ()
    checks: AtLeastOne = 1
    pool: tuple[AtLeastOne, AtLeastOne] = (5, 20)
    cleanup: tuple[Name, ...] = ()
    sizes: dict[str, AtLeastOne] = {}
    place: int = 0
    name: str = ""
    database: str = ""

    @property
    def writes(self) -> bool:
        """True if the operation is right when it leaves the right rows behind."""
        return bool(self.after)

    @property
    def left(self) -> list[list[str]]:
        """The texts of the rows that are the only right answer to `after`."""
        made = self.records
        rows = self.after_rows or (records(made.form, made.count) if made else ())
        return [[_text(decode(value)) for value in row] for row in rows]

    def message(self) -> dict[str, Any]:
        """Return what a runner must know about it."""
        made = self.records
        return {
            "name": self.name,
            "kind": self.kind,
            "sql": self.sql,
            "args": list(self.args),
            "columns": [list(column) for column in self.columns],
            "table": self.table,
            "pool": list(self.pool),
            "records": records(made.form, made.count) if made else [],
        }


def records(form: Sequence[str], count: int) -> list[list[Any]]:
    """Return `count` records, numbered from 1, which are the same for every driver."""
    makers = [FORMS[kind] for kind in form]
    return [[make(number) for make in makers] for number in range(1, count + 1)]


def _text(value: Any) -> str:
    """Return a value as a database has it: true is 1."""
    return str(int(value) if isinstance(value, bool) else value)


@cache
def operations(
    folder: Path = FOLDER, sizes: tuple[tuple[str, int], ...] = ()
) -> Mapping[str, OperationSpec]:
    """Return all operations by name, sorted by database; RaceError if a file is not right.

    `sizes` are pairs of a name and a number, which take the place of those in the files.
    """
    paths = sorted(folder.glob("*/operations/*.toml"))
    read = [operation(path, dict(sizes)) for path in paths]
    found: dict[str, OperationSpec] = {}
    for one in sorted(read, key=lambda each: (each.database, each.place, each.name)):
        if one.name in found:
            both = f"{found[one.name].database} and {one.database}"
            raise RaceError(f"operation {one.name}: {both} have one of this name")
        found[one.name] = one
    return found


def operation(path: Path, sizes: Mapping[str, int] | None = None) -> OperationSpec:
    """Return the operation of a file; RaceError if it is not right."""
    name, what = path.stem, f"operation {path.stem}"
    data = _filled(toml(path), sizes or {})
    made = converted(data, OperationSpec, what, f"key of operation {name}")
    for form in made.records.form if made.records else ():
        if form not in FORMS:
            raise RaceError(f"{what}: no records have {form!r}: choose from {', '.join(FORMS)}")
    if made.after and not made.left:
        raise RaceError(f"{what}: 'after' is asked, and no 'after_rows' say what is right")
    _require_complete(made, path.parent.parent.name, what)
    return replace(made, name=name, database=made.database or path.parent.parent.name)


def _filled(data: dict[str, Any], changes: Mapping[str, int]) -> dict[str, Any]:
    """Return the content of a file with its sizes, changed, filled in."""
    known = data.get("sizes")
    if not isinstance(known, dict):
        return data
    sizes = {name: changes.get(name, number) for name, number in known.items()}

    def fill(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: fill(one) for key, one in value.items()}
        if isinstance(value, list):
            return [fill(one) for one in value]
        if not isinstance(value, str):
            return value
        if (whole := SIZE.fullmatch(value)) and whole[1] in sizes:
            return sizes[whole[1]]
        return SIZE.sub(lambda found: str(sizes.get(found[1], found[0])), value)

    return {**fill(data), "sizes": sizes}


def _require_complete(made: OperationSpec, folder: str, what: str) -> None:
    """Raise RaceError if no driver could do the operation."""
    kinds = KINDS.get(folder, (made.kind,))
    if made.kind not in kinds:
        raise unknown(f"kind of {what}", made.kind, kinds)
    if (key := NEEDED.get(made.kind)) and not getattr(made, key):
        raise RaceError(f"{what}: kind {made.kind!r} needs {key!r}")
    if made.pool[0] > made.pool[1]:
        raise RaceError(f"{what}: a pool of at least {made.pool[0]} and at most {made.pool[1]}")
    try:
        list(map(decode, made.args))
    except (TypeError, ValueError, ArithmeticError) as error:
        raise RaceError(f"{what}: 'args': {error}") from None
