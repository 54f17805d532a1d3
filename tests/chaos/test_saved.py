"""Runs that were saved, and made one of."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import chaos.__main__ as command
from chaos.saved import every, load, merged, save
from chaos.seen import Seen, Votes
from chaos.table import Row, Run

HOSTILE, BODIES, *_, MEMORY = every()
VOTED = Seen("one", "3 kills", "x", [0.5], Votes(3, 1, 4), ["a"])
FIRST = Run(
    "2026-11-22", "abc", "2 cores", "11", 2.0, True, [Row(MEMORY, VOTED), Row(BODIES, VOTED)]
)
OTHER = Row(BODIES, Seen("two", "once"))
SECOND = replace(FIRST, date="2026-11-23", short=False, rows=[Row(HOSTILE, VOTED), OTHER])


def test_what_is_saved_is_what_was_seen(tmp_path: Path) -> None:
    save(FIRST, tmp_path / "run.json")
    assert load(tmp_path / "run.json") == FIRST
    assert list(tmp_path.iterdir()) == [tmp_path / "run.json"]


def test_several_runs_are_one_by_the_last_of_each_fault() -> None:
    run = merged([FIRST, SECOND])
    assert run.rows == [Row(HOSTILE, VOTED), OTHER, Row(MEMORY, VOTED)]
    assert (run.date, run.commit, run.minutes) == ("2026-11-22, 2026-11-23", "abc", 4.0)
    assert run.short


def test_a_page_is_made_of_several_files(tmp_path: Path) -> None:
    files = [tmp_path / "1.json", tmp_path / "2.json"]
    save(FIRST, files[0])
    save(SECOND, files[1])
    page = tmp_path / "page.md"
    assert command.main(["--saved", *map(str, files), "--output", str(page)]) == 1
    text = page.read_text()
    assert "on 2026-11-22, 2026-11-23, to commit abc" in text
    assert text.index("| hostile input |") < text.index("| minutes of Index |")


@pytest.mark.parametrize("text", ["", "[]", '{"rows": [{}]}', '{"rows": [], "more": 1}'])
def test_another_file_is_refused_in_one_line(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "other.json"
    path.write_text(text)
    assert command.main(["--saved", str(path)]) == 2
    said = capsys.readouterr().err
    assert said == f"chaos: {path} is not what --json of this version writes\n"
