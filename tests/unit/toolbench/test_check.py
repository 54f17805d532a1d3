"""Results are compared value by value with their types, and a wrong one is named in a line."""

from __future__ import annotations

from typing import Any

import pytest

from race.errors import CellFailed
from toolbench.check import Texts, Types, complaint, describe, elements, same

NATURAL = {"int4": "int", "text": "text", "bytea": "bytes", "char": "text", "float8": "float"}
COLUMNS = [("id", "int4"), ("body", "bytea"), ("list", "int4[]"), ("letter", "char")]
TEXTS: Texts = [["1", "\\x00ff", "{1,2}", "b"], ["2", None, "{}", "c"]]
RIGHT: list[list[Any]] = [
    [["int", "1"], ["bytes", "00ff"], ["array", [["int", "1"], ["int", "2"]]], ["text", "b"]],
    [["int", "2"], ["null", None], ["array", []], ["text", "c"]],
]


def rows(**gives: str) -> list[list[Any]]:
    return Types(NATURAL, gives).rows(COLUMNS, TEXTS)


def test_the_databases_texts_are_tagged_by_their_types() -> None:
    assert rows() == RIGHT
    assert complaint("a, b", RIGHT, rows()) is None


def test_a_type_that_a_driver_has_by_design_is_right_for_it_alone() -> None:
    other = rows(char="bytes", bytea="memoryview", int4="text")
    assert other[0] == [
        ["text", "1"],
        ["memoryview", "00ff"],
        ["array", [["text", "1"], ["text", "2"]]],
        ["bytes", "62"],
    ]
    assert rows(**{"int4[]": "text"})[0][2] == ["text", "{1,2}"]
    assert complaint("a, b", RIGHT, other) is not None


def test_an_unknown_type_is_its_own_tag() -> None:
    assert Types({}, {}).value("decimal", "1.50") == ["decimal", "1.50"]


@pytest.mark.parametrize(
    ("place", "value", "line"),
    [
        ((0, 0), ["text", "1"], "row 1, column 1 is text '1' where int 1 is right"),
        ((1, 0), ["int", "3"], "row 2, column 1 is int 3 where int 2 is right"),
        ((0, 1), ["null", None], "row 1, column 2 is null where bytes 00ff is right"),
        ((1, 1), ["bytes", ""], "row 2, column 2 is bytes  where null is right"),
        ((0, 2), ["array", [["int", "1"]]], "column 3 is array 1 where array 1, 2 is right"),
        ((0, 2), ["array", [["int", "1"], ["text", "2"]]], "column 3 is array 1, 2 where"),
        ((1, 3), ["Char", "c" * 99], f"is Char {'c' * 40}... where text 'c' is right"),
    ],
)
def test_a_wrong_value_or_type_is_named_with_its_place(
    place: tuple[int, int], value: Any, line: str
) -> None:
    given = [list(row) for row in RIGHT]
    given[place[0]][place[1]] = value
    found = complaint("asyncpg, ints", RIGHT, given)
    assert found is not None
    assert found.startswith("asyncpg, ints: row ")
    assert line in found


def test_rows_and_columns_are_counted() -> None:
    assert complaint("a, b", RIGHT, RIGHT[:1]) == "a, b: 1 rows where 2 are right"
    assert complaint("a, b", RIGHT, [*RIGHT, []]) == "a, b: 3 rows where 2 are right"
    short = [RIGHT[0][:3], RIGHT[1]]
    assert complaint("a, b", RIGHT, short) == "a, b: row 1 has 3 columns where 4 are right"


@pytest.mark.parametrize(
    ("tag", "one", "other", "alike"),
    [
        ("float", "1.50", "1.5", True),
        ("float", "1e3", "1000.0", True),
        ("float", "1.5", "odd", False),
        ("datetime", "2024-01-02 03:04:05.5", "2024-01-02T03:04:05.500000", True),
        ("json", '{"a": 1, "b": 2}', '{"b":2,"a":1}', True),
        ("decimal", "1.50", "1.5", False),
        ("text", "1.50", "1.5", False),
    ],
)
def test_values_that_can_be_written_in_more_than_one_way(
    tag: str, one: str, other: str, alike: bool
) -> None:
    assert same([tag, one], [tag, other]) is alike


def test_arrays_of_plain_values_are_read() -> None:
    assert elements("{1,NULL,3}") == ["1", None, "3"]
    with pytest.raises(CellFailed, match="are quoted"):
        elements('{"a b"}')
    assert describe(["array", [["null", None]]]) == "array None"
