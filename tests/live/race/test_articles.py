"""docs/articles.md: every command is one that can run, and every claim has a command."""

from __future__ import annotations

import json
import re
import shlex

import pytest

import server
from race.cli import main
from race.paths import CLAIMS
from race.report.claims import article
from runtime.paths import ROOT
from tests.conftest import absent

TEXT = (ROOT / "docs" / "articles.md").read_text(encoding="utf-8")
ROW = re.compile(
    r"^\| .+? \| `(?P<command>.+?)` \| (?P<takes>.*?) ?\| .*\|$",
    re.MULTILINE,
)
ROWS = {row["command"]: row["takes"] for row in ROW.finditer(TEXT)}
RACE, SERVER = [".venv/bin/race", "run"], ".venv/bin/python server.py "
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
    words = shlex.split(command)
    while "=" in words[0]:  # a variable of the environment, which no plan needs
        words.pop(0)
    assert words[:2] == RACE
    words = words[2:]
    status = main(["run", *words, "--dry-run", "--json"])
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


def test_every_claim_has_a_row() -> None:
    known = [claim.number for one in article.read(CLAIMS) for claim in one.claims]
    cells = [row.rsplit(" | ", 1)[1] for row in re.findall(r"^(\| .+) \|$", TEXT, re.MULTILINE)]
    named = {number for cell in cells for number in _numbers(cell, known)}
    assert named == {*known}


def _numbers(cell: str, known: list[str]) -> list[str]:
    """Return the numbers of a cell such as "1.5, 1.9 to 1.12"; ValueError for one of no claim."""
    found = []
    for part in re.findall(r"\d+\.\d+(?: to \d+\.\d+)?", cell):
        first, _, last = part.partition(" to ")
        found += known[known.index(first) : known.index(last or first) + 1]
    return found
