"""docs/articles.md: every command is one that can run, in the time that it says."""

from __future__ import annotations

import json
import re
import shlex

import pytest

import server
from race.cli import main
from runtime.paths import ROOT
from tests.conftest import absent

TEXT = (ROOT / "docs" / "articles.md").read_text(encoding="utf-8")
ROW = re.compile(
    r"^\| .+? \| `(?P<command>.+?)` \| (?P<takes>.*?) ?\| .*\|$",
    re.MULTILINE,
)
ROWS = {row["command"]: row["takes"] for row in ROW.finditer(TEXT)}
RACE, SERVER = ".venv/bin/race ", ".venv/bin/python server.py "
ABSENT = ("can run here", "not installed")


def test_every_row_of_a_table_has_a_command() -> None:
    tables = re.findall(r"^\| (?!in the article).+ \|$", TEXT, re.MULTILINE)
    assert len(tables) == len(ROW.findall(TEXT)) > 30


@pytest.mark.parametrize("command", ROWS)
def test_a_command_can_run_and_takes_as_long_as_it_says(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    if command.startswith(SERVER):
        assert server.arguments(shlex.split(command.removeprefix(SERVER))).port
        return
    assert command.startswith(RACE)
    words = shlex.split(command.removeprefix(RACE))
    status = main([*words, "--dry-run", "--json"])
    out, error = capsys.readouterr()
    if status and any(text in error for text in ABSENT):
        absent(error.strip())
    assert status == 0, error
    plan = json.loads(out)
    if not plan["left_out"] and "pythons" not in words:  # all that the row is about is here
        assert _seconds(ROWS[command]) == pytest.approx(plan["seconds"], rel=0.25)


def _seconds(text: str) -> float:
    number, unit = text.split()
    return float(number) * {"seconds": 1, "minutes": 60, "hours": 3600}[unit]
