"""Saved results: the published schema, older versions, damaged files, which cells count."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest

from race.analysis import values
from race.paths import PUBLISHED
from race.saved import reader, schema
from race.saved.model import Cell
from tests.support.synthetic import Recipe, write

SCHEMA = json.loads(schema.FILE.read_text())
SMALL = Recipe(pages=("good", "ugly"), rounds=3)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write(tmp_path / "race", SMALL)


def _cell_schema() -> dict[str, Any]:
    return {**SCHEMA["$defs"]["Cell"], "$defs": SCHEMA["$defs"]}


def test_the_published_schema_is_made_from_the_records() -> None:
    """If this fails, `python -m race.saved.schema` writes it anew."""
    assert schema.FILE.read_text() == schema.text()


def test_schema_is_a_schema_and_fits_what_is_written(folder: Path) -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    jsonschema.validate(json.loads((folder / "run.json").read_text()), SCHEMA)
    check = jsonschema.Draft202012Validator(_cell_schema())
    for line in (folder / "cells.jsonl").read_text().splitlines():
        check.validate(json.loads(line))


@pytest.mark.parametrize(
    "change",
    [
        {"schema": 1},
        {"round": -1},
        {"status": "fine"},
        {"throughput": -1},
        {"load": {"generator": "wrk"}},
        {"histogram": [[1.0]]},
        {"meters": {"cores": {"steal": "much"}}},
    ],
)
def test_schema_and_reader_refuse_alike(folder: Path, change: dict[str, Any]) -> None:
    line = {**json.loads((folder / "cells.jsonl").read_text().splitlines()[0]), **change}
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(line, _cell_schema())
    with pytest.raises(ValueError, match=r"Expected|Invalid|missing"):
        msgspec.convert(line, Cell)


def test_records_survive_writing_and_reading(folder: Path) -> None:
    race = reader.load(folder)
    assert not race.problems
    assert len(race.cells) == 3 * 10 * 3
    for cell in race.cells:
        assert msgspec.json.decode(msgspec.json.encode(cell), type=Cell) == cell
    assert json.loads((folder / "run.json").read_text()) == msgspec.to_builtins(race.head)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b'{"schema": 3, "round": 1', "not valid JSON"),
        (b"\xff\xfe\x00", "not valid JSON"),
        (b"[" * 100_000, "not valid JSON"),
        (b'{"schema": NaN}', "not valid JSON"),
        (b"[1]", "not a JSON object"),
        (b'{"round": 1}', "schema version None"),
        (b'{"schema": 9}', "schema version 9"),
        (b'{"schema": 3, "round": "one"}', "Expected `int`, got `str` - at `$.round`"),
        (b'{"schema": 3}', "missing required field `round`"),
    ],
)
def test_a_damaged_line_is_reported_with_its_number_and_the_rest_is_read(
    folder: Path, line: bytes, message: str
) -> None:
    path = folder / "cells.jsonl"
    lines = path.read_bytes().splitlines()
    path.write_bytes(b"\n".join([*lines[:2], line, b"", *lines[2:]]))
    race = reader.load(folder)
    assert [problem.line for problem in race.problems] == [3]
    assert message in str(race.problems[0])
    assert "line 3" in str(race.problems[0])
    assert len(race.cells) == len(lines)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"status": "fine"}, "Invalid enum value 'fine' - at `$.status`"),
        ({"throughput": 0}, "'throughput' of a cell with status ok is not above zero"),
        ({"throughput": None}, "'throughput' of a cell with status ok is not above zero"),
        ({"status": "failed"}, "status failed has no 'reason'"),
        ({"status": "overloaded"}, "status overloaded has no 'reason'"),
        ({"meters": {"cpu_ns": {"server": "much"}}}, "at `$.meters"),
    ],
)
def test_wrong_fields_are_named(folder: Path, change: dict[str, Any], message: str) -> None:
    path = folder / "cells.jsonl"
    first, *others = path.read_text().splitlines()
    path.write_text("\n".join([json.dumps({**json.loads(first), **change}), *others]))
    (problem,) = reader.load(folder).problems
    assert problem.line == 1
    assert message in problem.message


def test_a_cell_that_did_not_go_well_keeps_its_figures_and_counts_as_little_as_before(
    folder: Path,
) -> None:
    path = folder / "cells.jsonl"
    first, *others = path.read_text().splitlines()
    for status in ("failed", "overloaded", "invalid"):
        marked = {**json.loads(first), "status": status, "reason": "wrong"}
        path.write_text("\n".join([json.dumps(marked), *others]))
        race = reader.load(folder)
        assert race.problems == []
        assert race.cells[0].throughput == json.loads(first)["throughput"]
        assert race.cells[0] not in values.counted(race)


def test_unknown_fields_are_ignored(folder: Path) -> None:
    for path, name in ((folder / "run.json", "environment"), (folder / "cells.jsonl", "load")):
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        grown = [{**line, "new": 1, name: {**line[name], "newer": [2]}} for line in lines]
        path.write_text("\n".join(json.dumps(line) for line in grown))
    race = reader.load(folder)
    assert not race.problems
    assert len(race.cells) == 90


def test_unreadable_folders_give_one_line(tmp_path: Path, folder: Path) -> None:
    with pytest.raises(reader.ResultsError, match="no results folder"):
        reader.load(tmp_path / "absent")
    with pytest.raises(reader.ResultsError, match=r"holds no run\.json"):
        reader.load(tmp_path)
    for content in ('{"schema": 3', "[]", '{"schema": 2}', '{"schema": 3}', '{"schema": 4}'):
        (folder / "run.json").write_text(content)
        with pytest.raises(reader.ResultsError, match="is damaged") as caught:
            reader.load(folder)
        assert "\n" not in str(caught.value)


def test_a_race_without_cells_is_read(folder: Path) -> None:
    (folder / "cells.jsonl").unlink()
    assert reader.load(folder).cells == []


def test_cells_are_read_packed_as_well_as_plain(folder: Path) -> None:
    plain = reader.load(folder)
    packed = gzip.compress((folder / "cells.jsonl").read_bytes(), mtime=0)
    (folder / "cells.jsonl").unlink()
    (folder / "cells.jsonl.gz").write_bytes(packed)
    assert reader.load(folder) == plain
    for damaged in (packed[:-20], b"plain", packed[:30] + b"x" * 9 + packed[39:]):
        (folder / "cells.jsonl.gz").write_bytes(damaged)
        with pytest.raises(reader.ResultsError, match=r"cells\.jsonl\.gz is damaged"):
            reader.load(folder)


def test_published_results_stay_small() -> None:
    """Whoever publishes a race packs it: `python -m race.saved.pack FOLDER`."""
    files = [path for path in PUBLISHED.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < 9_500_000
    assert not [path for path in files if path.name == "cells.jsonl"]
