"""Operations are files, and an error in one is reported in a line."""

from __future__ import annotations

import hashlib
from pathlib import Path
from zlib import crc32

import pytest

from race.errors import RaceError
from toolbench.operation import operation, operations, records

LEAST = 'title = "t"\ntext = "x"\nkind = "query"\n'


def write(folder: Path, text: str, database: str = "postgres", name: str = "mine") -> Path:
    path = folder / database / "operations" / f"{name}.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_all_operations_of_the_article_are_there_in_its_order() -> None:
    known = operations().items()
    found = [name for name, one in known if one.database == "postgres" and one.kind != "workload"]
    assert found == [
        *("wide", "ints", "blobs", "arrays", "one-plus-one"),
        *("copy-in", "batch", "top-nine", "upsert", "pg-type"),
    ]
    for one in (operations()[name] for name in found):
        assert one.writes == bool(one.reset)
        assert one.text.endswith(".")


def test_a_file_becomes_an_operation(tmp_path: Path) -> None:
    more = 'records = { count = 2, form = ["int", "bytes"] }\nargs = [{ bytes = "00" }]\n'
    found = operation(write(tmp_path, LEAST + more))
    assert (found.name, found.database) == ("mine", "postgres")
    assert found.message() == {
        "name": "mine",
        "kind": "query",
        "sql": "",
        "args": [{"bytes": "00"}],
        "columns": [],
        "table": "",
        "pool": [5, 20],
        "records": [[1, {"bytes": "00000001"}], [2, {"bytes": "00000002"}]],
    }


def test_records_come_from_their_number_alone() -> None:
    assert records(["int", "text", "float", "bool"], 2) == [
        [1, "record 000001", 0.5, False],
        [2, "record 000002", 1.0, True],
    ]


def texts(name: str) -> list[str]:
    """Return what an operation writes, in the form of both databases: 1.0 is 1, and true is 1."""
    form = operations()[name].records
    assert form is not None
    made = records(form.form, form.count)
    return [" ".join(one if isinstance(one, str) else f"{one:g}" for one in row) for row in made]


def test_what_must_be_left_behind_is_what_the_records_say() -> None:
    for name in ("copy-in", "batch"):
        digest = hashlib.md5(",".join(texts(name)).encode(), usedforsecurity=False).hexdigest()
        assert operations()[name].after_rows[0][-1] == digest
    total = sum(crc32(row.encode()) for row in texts("orders-insert"))
    assert operations()["orders-insert"].after_rows[0][-1] == total


SIZED = (
    LEAST
    + 'args = ["{read}"]\nrows = "{read}"\nprepare = ["fill {rows}, {other}"]\n'
    + "sizes = { rows = 9, read = 4 }\n"
)


def test_sizes_are_filled_in_and_may_be_changed(tmp_path: Path) -> None:
    path = write(tmp_path, SIZED)
    found = operation(path)
    assert (found.args, found.rows, found.prepare) == ((4,), 4, ("fill 9, {other}",))
    changed = operation(path, {"read": 5, "batch": 1})
    assert (changed.rows, changed.sizes) == (5, {"rows": 9, "read": 5})


def test_what_a_write_must_leave_is_its_records_where_nothing_else_is_given(tmp_path: Path) -> None:
    more = 'after = "x"\nrecords = { count = 1, form = ["int", "decimal", "datetime", "bool"] }\n'
    found = operation(write(tmp_path, LEAST + more))
    assert found.left == [["1", "0.01", "2024-02-29 00:00:01", "0"]]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (LEAST + "sqll = 'x'", "unknown key of operation mine 'sqll': did you mean 'sql'?"),
        ('title = "t"\ntext = "x"', "operation mine: key 'kind' is missing"),
        (LEAST + "rows = 0", "operation mine: key 'rows': expected int >= 1"),
        (LEAST + "columns = ['a']", "operation mine: key 'columns"),
        (LEAST + "rows = ", "mine.toml: Invalid value"),
        (
            LEAST + 'records = { count = 1, form = ["integer"] }',
            "operation mine: no records have 'integer': choose from int, text, float",
        ),
        (LEAST + "after = 'x'", "'after' is asked, and no 'after_rows' say what is right"),
        (
            'title = "t"\ntext = "x"\nkind = "qurey"',
            "unknown kind of operation mine 'qurey': did you mean 'query'?",
        ),
        ('title = "t"\ntext = "x"\nkind = "copy"', "operation mine: kind 'copy' needs 'table'"),
        ('title = "t"\ntext = "x"\nkind = "batch"', "operation mine: kind 'batch' needs 'records'"),
        (LEAST + 'args = [{ bytes = "zz" }]', "operation mine: 'args': non-hexadecimal number"),
        (LEAST + "pool = [6, 5]", "operation mine: a pool of at least 6 and at most 5"),
        (LEAST + "sizes = { rows = 'x' }", "operation mine: key 'sizes"),
    ],
)
def test_a_bad_file_is_one_line(text: str, line: str, tmp_path: Path) -> None:
    with pytest.raises(RaceError) as raised:
        operation(write(tmp_path, text))
    assert line in str(raised.value)
    assert "\n" not in str(raised.value)


def test_two_of_one_name_are_refused(tmp_path: Path) -> None:
    write(tmp_path, LEAST)
    write(tmp_path, LEAST, "mysql")
    with pytest.raises(RaceError, match="operation mine: mysql and postgres have one of this name"):
        operations(tmp_path)
