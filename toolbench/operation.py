"""Operations: what drivers do, as data. One TOML file each, the same for all drivers of a database.

`toolbench/<database>/operations/<name>.toml`; every key is a field of ``Operation``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta, Struct
from msgspec.structs import replace

from race.errors import RaceError, unknown
from race.plan.read import converted, toml
from race.saved.model import Name
from runtime.paths import ROOT
from toolbench.records import FORMS, records
from toolbench.runner.tagged import plain

FOLDER = ROOT / "toolbench"
KINDS: Mapping[str, Sequence[str]] = {
    "postgres": ("query", "batch", "copy"),
    "mysql": ("query", "batch", "connect", "pool", "burst"),
    "tarantool": ("select", "upsert", "eval", "call", "ping"),
    "sqlalchemy": ("workload",),
}
"""By folder: what its drivers have calls for."""
NEEDED: Mapping[str, str] = {"copy": "table", "batch": "records"}
"""By kind: a key that it cannot be without."""
AtLeastOne = Annotated[int, Meta(ge=1)]


class Records(Struct, frozen=True, forbid_unknown_fields=True):
    """`count` records to be written, each with a value of every kind in `form` (``records.py``)."""

    count: AtLeastOne
    form: Annotated[tuple[Name, ...], Meta(min_length=1)]


class Operation(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One operation. `name` and `database` are those of its file, `place` its place in reports.

    `kind` is one for each thing that drivers do differently. `sql` has `$1` for its `args` (JSON
    values; `{bytes = "00ff"}` where JSON has no type), `columns` are (name, the database's type) of
    its rows, or of what is written into `table`. `prepare` is run once before a race, and may be
    run again. `rows` is how many rows one operation reads or writes; None: what the database says.

    A write has `after`, a question about what is there when it was done `checks` times,
    `after_rows`, the only right answer to it, and `reset`, which is run before each check.
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
    place: int = 0
    name: str = ""
    database: str = ""

    @property
    def writes(self) -> bool:
        """Whether it is right by what it leaves behind."""
        return bool(self.after)

    def sent(self) -> dict[str, Any]:
        """What a runner must know of it."""
        made = self.records
        return {
            "name": self.name,
            "kind": self.kind,
            "sql": self.sql,
            "args": list(self.args),
            "columns": [list(column) for column in self.columns],
            "table": self.table,
            "records": records(made.form, made.count) if made else [],
        }


@cache
def operations(folder: Path = FOLDER) -> Mapping[str, Operation]:
    """All of them by name, database by database; RaceError, one line, where a file is not right."""
    read = [operation(path) for path in sorted(folder.glob("*/operations/*.toml"))]
    found: dict[str, Operation] = {}
    for one in sorted(read, key=lambda each: (each.database, each.place, each.name)):
        if one.name in found:
            both = f"{found[one.name].database} and {one.database}"
            raise RaceError(f"operation {one.name}: {both} have one of this name")
        found[one.name] = one
    return found


def operation(path: Path) -> Operation:
    """The operation of a file; RaceError in one line."""
    name, what = path.stem, f"operation {path.stem}"
    made = converted(toml(path), Operation, what, f"key of operation {name}")
    for form in made.records.form if made.records else ():
        if form not in FORMS:
            raise RaceError(f"{what}: no records have {form!r}: choose from {', '.join(FORMS)}")
    if made.after and not made.after_rows:
        raise RaceError(f"{what}: 'after' is asked, and no 'after_rows' say what is right")
    _complete(made, path.parent.parent.name, what)
    return replace(made, name=name, database=made.database or path.parent.parent.name)


def _complete(made: Operation, folder: str, what: str) -> None:
    """RaceError where a driver could not carry it out."""
    kinds = KINDS.get(folder, (made.kind,))
    if made.kind not in kinds:
        raise unknown(f"kind of {what}", made.kind, kinds)
    if (key := NEEDED.get(made.kind)) and not getattr(made, key):
        raise RaceError(f"{what}: kind {made.kind!r} needs {key!r}")
    try:
        list(map(plain, made.args))
    except (TypeError, ValueError, ArithmeticError) as error:
        raise RaceError(f"{what}: 'args': {error}") from None
