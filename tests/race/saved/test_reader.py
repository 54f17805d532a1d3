"""Saved results: the published schema, older versions, damaged files, which cells count."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace as changed
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest
from msgspec.structs import replace

from race.analysis import values
from race.analysis.analyse import analyse
from race.analysis.values import Values
from race.saved import reader, schema, version1
from race.saved.model import Cell, Rejected
from race.saved.reader import SavedRace
from tests.support.synthetic import Recipe, failed, write

SCHEMA = json.loads(schema.FILE.read_text())
SMALL = Recipe(pages=("good", "ugly"), rounds=3)
VERSION1 = Path(__file__).parent / "version1"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write(tmp_path / "race", SMALL)


def _cell_schema() -> dict[str, Any]:
    return {**SCHEMA["$defs"]["Cell"], "$defs": SCHEMA["$defs"]}


def test_the_published_schema_is_made_from_the_records() -> None:
    """When it is not: `python -m race.saved.schema`."""
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
        {"pass": "sideways"},
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
    assert len(race.cells) == 4 * 2 * 10 * 3
    for cell in race.cells:
        assert msgspec.json.decode(msgspec.json.encode(cell), type=Cell) == cell
    assert json.loads((folder / "run.json").read_text()) == msgspec.to_builtins(race.head)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b'{"schema": 2, "round": 1', "not valid JSON"),
        (b"\xff\xfe\x00", "not valid JSON"),
        (b"[" * 100_000, "not valid JSON"),
        (b'{"schema": NaN}', "not valid JSON"),
        (b"[1]", "not a JSON object"),
        (b'{"round": 1}', "schema version None"),
        (b'{"schema": 9}', "schema version 9"),
        (b'{"schema": 2, "round": "one"}', "Expected `int`, got `str` - at `$.round`"),
        (b'{"schema": 2, "round": true}', "Expected `int`, got `bool` - at `$.round`"),
        (b'{"schema": 2}', "missing required field `round`"),
        (b'{"schema": 1, "round": "one"}', "Expected `int`, got `str` - at `$.round`"),
        (b'{"schema": 1, "cpu_ns": 5}', "'cpu_ns' is not an object"),
        (b'{"schema": 1}', "missing required field `round`"),
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
        ({"round": -1}, "Expected `int` >= 0 - at `$.round`"),
        ({"histogram": [1, 2]}, "at `$.histogram"),
        ({"meters": {"cpu_ns": {"server": "much"}}}, "at `$.meters"),
        ({"load": {"generator": "wrk"}}, "missing required field `connections`"),
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
    assert len(race.cells) == 240


def test_unreadable_folders_give_one_line(tmp_path: Path, folder: Path) -> None:
    with pytest.raises(reader.ResultsError, match="no results folder"):
        reader.load(tmp_path / "absent")
    with pytest.raises(reader.ResultsError, match=r"holds no run\.json"):
        reader.load(tmp_path)
    damaged = ('{"schema": 2', "[]", '{"schema": 1}', '{"schema": 2}', '{"schema": 3}')
    old = ('{"schema": 1, "scenario": [1]}', '{"schema": 1, "contenders": "abc"}')
    for content in (*damaged, *old):
        (folder / "run.json").write_text(content)
        with pytest.raises(reader.ResultsError, match="is damaged") as caught:
            reader.load(folder)
        assert "\n" not in str(caught.value)


def test_a_race_without_cells_is_read(folder: Path) -> None:
    (folder / "cells.jsonl").unlink()
    assert reader.load(folder).cells == []


def test_results_of_version_1_are_read_as_those_of_version_2() -> None:
    race = reader.load(VERSION1)
    assert race.problems == []
    head = race.head
    assert (head.schema, head.race, head.limits.steal) == (2, "20261120-204500-old", 0.03)
    assert head.discipline.headline == "good"
    japronto = next(one for one in head.contenders if one.label.startswith("japronto"))
    assert japronto.factors == {
        "web": "japronto",
        "loop": "uvloop",
        "backend": "tarantool",
        "connection": "one",
        "python": "3.7",
    }
    assert [one.aa for one in head.contenders] == [False, False, False, True]
    by_status = {cell.status: cell for cell in race.cells}
    assert set(by_status) == {"ok", "invalid", "overloaded", "failed"}
    assert by_status["failed"].reason == "the page answered 503"
    assert by_status["invalid"].steal == 0.034
    assert {cell.load.pipeline for cell in race.cells} == {1, 24}
    assert {cell.load.rate for cell in race.cells} == {None, 2000.0}
    assert {cell.full for cell in race.cells} == {"server", "generator", None}
    first = race.cells[0]
    assert (first.task, first.count, first.throughput) == ("good", 4000, 4000.0)
    assert first.meters == {
        "cpu_ns": {"server": 900_000_000, "database": 90_000_000, "harness": 1_500_000},
        "memory_bytes": {"server": 38_000_000},
        "switches": {"voluntary": 92, "involuntary": 39},
        "cores": {"steal": 0.001, "foreign": 0.0},
        "busy": {"server": 0.9},
    }
    assert first.facts == {"database_requests": 3.0}
    ranked = [(one.work.task, one.closed) for one in analyse(race).comparisons if one.ranked]
    assert ("good", True) in ranked


@pytest.mark.parametrize(
    ("changes", "full", "told"),
    [
        ({}, "server", None),
        ({"busy": {"server": 0.89}}, None, "version 1 of the results does not say"),
        ({"busy": None}, None, "version 1 of the results does not say"),
        ({"busy": {"server": "much"}}, None, "version 1 of the results does not say"),
        ({"generator_bound": True}, "generator", None),
        # Nothing was measured.
        ({"rps": None}, None, None),
    ],
)
def test_who_was_full_as_far_as_version_1_says_so(
    changes: dict[str, Any], full: str | None, told: str | None
) -> None:
    line = json.loads((VERSION1 / "cells.jsonl").read_text().splitlines()[0])
    found = version1.cell({**line, **changes})
    assert (found.get("full"), found.get("full_unknown")) == (full, told)


def test_a_race_of_version_1_that_does_not_say_who_was_full_ranks_nobody(tmp_path: Path) -> None:
    old = tmp_path / "old"
    shutil.copytree(VERSION1, old)
    text = (old / "cells.jsonl").read_text()
    (old / "cells.jsonl").write_text(text.replace('"busy":{"server":0.9}', '"busy":null'))
    analysis = analyse(reader.load(old))
    assert analysis.counted
    assert not any(comparison.ranked for comparison in analysis.comparisons)
    told = "who was full is not known: version 1 of the results does not say"
    assert told in str(analysis.comparisons[0].results[0].reason)


def _values(race: SavedRace) -> Values:
    return values.values(values.counted(race), values.rate)


def test_a_round_is_the_mean_log_of_its_passes(folder: Path) -> None:
    race = reader.load(folder)
    first = race.cells[0]
    mine = [c for c in race.cells if (c.label, c.work) == (first.label, first.work)]
    rates = {cell.pass_: cell.throughput for cell in mine if cell.round == 1}
    product = (rates["forward"] or 0) * (rates["reverse"] or 0)
    value = _values(race)[first.work][first.label][1]
    assert 2.718281828459045**value == pytest.approx(product**0.5)


@pytest.mark.parametrize("status", ["invalid", "failed"])
def test_a_round_without_both_passes_does_not_count(folder: Path, status: str) -> None:
    race = reader.load(folder)
    first = race.cells[0]
    lost = replace(first, status="invalid", reason="made up")
    race.cells[0] = lost if status == "invalid" else failed(first)
    assert 1 not in _values(race)[first.work][first.label]
    assert 2 in _values(race)[first.work][first.label]


def test_an_interrupted_round_does_not_count(folder: Path) -> None:
    race = reader.load(folder)
    last = max(cell.round for cell in race.cells)
    half = [c for c in race.cells if (c.round, c.pass_) != (last, "reverse")]
    found = _values(changed(race, cells=half))
    assert all(last not in logs for labels in found.values() for logs in labels.values())


def test_rejected_rounds_do_not_count(folder: Path) -> None:
    race = reader.load(folder)
    head = replace(race.head, rejected=[Rejected(2, "steal")])
    assert {cell.round for cell in values.counted(changed(race, head=head))} == {1, 3, 4}


def test_the_later_of_two_records_of_a_cell_counts(folder: Path) -> None:
    race = reader.load(folder)
    again = replace(race.cells[0], throughput=1.0)
    found = values.counted(changed(race, cells=[*race.cells, again]))
    assert again in found
    assert race.cells[0] not in found
