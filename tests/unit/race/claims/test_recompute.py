"""The script for readers who distrust `race` finds what `race` published."""

from __future__ import annotations

import ast
import re
import runpy
import sys
from pathlib import Path

import pytest

from race.paths import PUBLISHED
from race.stats import random_effects, student
from race.stats.estimate import Estimate

SCRIPT = PUBLISHED / "recompute.py"
PAIR = "good sanic-tarantool-one@3.7 aiohttp-tarantool-one@3.7"
CLAIM = f"<!-- claim: python37-1+python37-2 {PAIR} -->"
recompute = runpy.run_path(str(SCRIPT))


def test_it_finds_what_is_published(capsys: pytest.CaptureFixture[str]) -> None:
    failed = recompute["main"]()
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines[:-1] if not line.startswith("equal ")] == []
    assert failed == 0
    text = "\n".join(lines)
    for kind in ("article-1+article-2+", "cpu-ratio", "ugly:x24", "toolbench-postgres ", " loops "):
        assert kind in text
    assert len(lines) > 100


def test_it_reads_every_ratio_at_full_load() -> None:
    """A ratio under users or at a fixed rate has a measure of its own, or a rate in its task."""
    text = (PUBLISHED / "README.md").read_text(encoding="utf-8")
    claims = re.findall(r"× \[[^]]+\]†? <!-- claim: (.+?) -->", text)
    left_out = [one for one in claims if "user-load" in one or "/s " in one]
    read = re.findall(recompute["RATIO"] + recompute["CLAIM"], text)
    assert len(read) == len(claims) - len(left_out)


@pytest.mark.parametrize(
    ("said", "mark"),
    [("1.201× [1.171, 1.222]", "equal"), ("1.202× [1.171, 1.222]", "DIFFERS"), ("", "0 of 0")],
)
def test_a_wrong_digit_fails(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], said: str, mark: str
) -> None:
    document = tmp_path / "text.md"
    document.write_text(f"{said} {CLAIM}\n", encoding="utf-8")
    assert recompute["main"](document) == (mark != "equal")
    assert capsys.readouterr().out.startswith(mark)


@pytest.mark.parametrize("word", ["python37-1+", "sanic-tarantool-one@3.7"])
def test_a_run_or_contender_that_is_not_published_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], word: str
) -> None:
    document = tmp_path / "text.md"
    claim = CLAIM.replace(word, "nosuch+" if word.endswith("+") else "nosuch")
    document.write_text(f"0.856× [0.833, 0.884] {claim}\n", encoding="utf-8")
    assert recompute["main"](document) == 1
    line, total = capsys.readouterr().out.splitlines()
    assert line.startswith("DIFFERS")
    assert "no such run or contender" in line
    assert total == "0 of 1 are equal."


@pytest.mark.parametrize("values", [(0.1, 0.11, 0.12), (0.1, 0.3, -0.1, 0.2), (0.0, 0.0, 0.0, 0.0)])
def test_it_merges_many_runs_alike(values: tuple[float, ...]) -> None:
    runs = [(v, v - 0.02 - v / 9, v + 0.03, 11 + n) for n, v in enumerate(values)]
    expected = random_effects.combined([Estimate(*run) for run in runs])
    assert recompute["merged"](runs) == pytest.approx(
        (expected.value, expected.low, expected.high), abs=1e-7
    )


@pytest.mark.parametrize("freedom", [2, 3, 4, 7, 23])
def test_its_quantiles_are_students(freedom: int) -> None:
    assert recompute["student"](freedom) == pytest.approx(student.quantile(0.05, freedom), 1e-6)


def test_it_needs_nothing_but_python() -> None:
    text = SCRIPT.read_text(encoding="utf-8")
    imports = [one for one in ast.walk(ast.parse(text)) if isinstance(one, ast.Import)]
    froms = [one for one in ast.walk(ast.parse(text)) if isinstance(one, ast.ImportFrom)]
    names = {alias.name for one in imports for alias in one.names} | {one.module for one in froms}
    assert names <= sys.stdlib_module_names
    assert len(text.splitlines()) <= 150
