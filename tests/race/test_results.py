"""Saved results: the published schema, damaged files, which cells count."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from race.analysis import values as rounds
from race.saved import reader as results
from race.saved.model import Cell, Rejected
from race.saved.reader import Run
from tests.support.synthetic import Recipe, write

SCHEMA = json.loads(Path("race/schema.json").read_text())
SMALL = Recipe(pages=("good", "ugly"), rounds=3)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write(tmp_path / "run", SMALL)


def _cell_schema() -> dict[str, Any]:
    return {**SCHEMA["$defs"]["cell"], "$defs": SCHEMA["$defs"]}


def test_schema_is_a_schema_and_fits_what_is_written(folder: Path) -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    jsonschema.validate(json.loads((folder / "run.json").read_text()), SCHEMA)
    check = jsonschema.Draft202012Validator(_cell_schema())
    for line in (folder / "cells.jsonl").read_text().splitlines():
        check.validate(json.loads(line))


@pytest.mark.parametrize(
    "change",
    [
        {"schema": 2},
        {"round": 0},
        {"pass": "sideways"},
        {"status": "ok", "rps": None},
        {"status": "failed", "reason": None},
        {"status": "failed", "reason": "dead", "rps": 12.0},
        {"status": "overloaded", "reason": "late", "rps": 12.0},
        {"steal": 1.5},
        {"load": {"generator": "wrk"}},
        {"histogram": [[1.0]]},
    ],
)
def test_schema_refuses(folder: Path, change: dict[str, Any]) -> None:
    line = json.loads((folder / "cells.jsonl").read_text().splitlines()[0])
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**line, **change}, _cell_schema())


def test_records_survive_writing_and_reading(folder: Path) -> None:
    run = results.load(folder)
    assert not run.problems
    assert len(run.cells) == 4 * 2 * 10 * 3
    for cell in run.cells:
        assert Cell.from_json(json.loads(json.dumps(cell.as_json()))) == cell
    assert json.loads((folder / "run.json").read_text()) == json.loads(
        json.dumps(run.head.as_json())
    )


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b'{"schema": 1, "round": 1', "not valid JSON"),
        (b"\xff\xfe\x00", "not valid JSON"),
        (b"[" * 100_000, "not valid JSON"),
        (b"[1]", "not a JSON object"),
        (b'{"round": 1}', "field 'schema' is missing"),
        (b'{"schema": 9}', "schema version 9"),
        (b'{"schema": 1, "round": "one"}', "field 'round' has the wrong type"),
        (b'{"schema": 1, "round": true}', "field 'round' has the wrong type"),
        (b'{"schema": NaN}', "NaN is not a number of JSON"),
    ],
)
def test_a_damaged_line_is_reported_with_its_number_and_the_rest_is_read(
    folder: Path, line: bytes, message: str
) -> None:
    path = folder / "cells.jsonl"
    lines = path.read_bytes().splitlines()
    path.write_bytes(b"\n".join([*lines[:2], line, b"", *lines[2:]]))
    run = results.load(folder)
    assert [problem.line for problem in run.problems] == [3]
    assert message in str(run.problems[0])
    assert "line 3" in str(run.problems[0])
    assert len(run.cells) == len(lines)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"status": "fine"}, "'fine', not ok, invalid, overloaded, failed"),
        ({"rps": 0}, "'rps' of a cell with status ok is not above zero"),
        ({"histogram": [1, 2]}, "'histogram' is not a list"),
        ({"cpu_ns": {"server": "much"}}, "'server' has the wrong type"),
        ({"load": {"generator": "wrk"}}, "'connections' is missing"),
    ],
)
def test_wrong_fields_are_named(folder: Path, change: dict[str, Any], message: str) -> None:
    good = results.load(folder).cells[0].as_json()
    with pytest.raises(ValueError, match=message):
        Cell.from_json({**good, **change})


def test_unreadable_folders_give_one_line(tmp_path: Path, folder: Path) -> None:
    with pytest.raises(results.ResultsError, match="no results folder"):
        results.load(tmp_path / "absent")
    with pytest.raises(results.ResultsError, match=r"holds no run\.json"):
        results.load(tmp_path)
    for content in ('{"schema": 1', "[]", '{"schema": 1}', '{"schema": 3}'):
        (folder / "run.json").write_text(content)
        with pytest.raises(results.ResultsError, match="is damaged") as caught:
            results.load(folder)
        assert "\n" not in str(caught.value)


def test_a_run_without_cells_is_read(folder: Path) -> None:
    (folder / "cells.jsonl").unlink()
    assert results.load(folder).cells == []


def _values(run: Run) -> rounds.Values:
    return rounds.values(rounds.counted(run), rounds.rate)


def test_a_round_is_the_mean_log_of_its_passes(folder: Path) -> None:
    run = results.load(folder)
    first = run.cells[0]
    key = rounds.Key(first.page, first.load)
    mine = [c for c in run.cells if (c.label, rounds.Key(c.page, c.load)) == (first.label, key)]
    rates = {cell.pass_: cell.rps for cell in mine if cell.round == 1}
    product = (rates["forward"] or 0) * (rates["reverse"] or 0)
    value = _values(run)[key][first.label][1]
    assert 2.718281828459045**value == pytest.approx(product**0.5)


@pytest.mark.parametrize("status", ["invalid", "failed"])
def test_a_round_without_both_passes_does_not_count(folder: Path, status: str) -> None:
    run = results.load(folder)
    first = run.cells[0]
    key = rounds.Key(first.page, first.load)
    run.cells[0] = replace(first, status=status, reason="made up")  # type: ignore[arg-type]
    assert 1 not in _values(run)[key][first.label]
    assert 2 in _values(run)[key][first.label]


def test_an_interrupted_round_does_not_count(folder: Path) -> None:
    run = results.load(folder)
    last = max(cell.round for cell in run.cells)
    half = [c for c in run.cells if (c.round, c.pass_) != (last, "reverse")]
    found = _values(replace(run, cells=half))
    assert all(last not in logs for labels in found.values() for logs in labels.values())


def test_rejected_rounds_do_not_count(folder: Path) -> None:
    run = results.load(folder)
    head = replace(run.head, rejected=[Rejected(2, "steal")])
    assert {cell.round for cell in rounds.counted(replace(run, head=head))} == {1, 3, 4}


def test_the_later_of_two_records_of_a_cell_counts(folder: Path) -> None:
    run = results.load(folder)
    again = replace(run.cells[0], rps=1.0)
    found = rounds.counted(replace(run, cells=[*run.cells, again]))
    assert again in found
    assert run.cells[0] not in found
