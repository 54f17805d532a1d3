"""What the documents say is what the saved cells say."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from race.cli import main
from race.commands.claim import check, finder
from race.paths import PUBLISHED, RESULTS
from race.report.claims import claims
from race.report.measures import MEASURES, TIE, measure
from runtime.paths import ROOT

DOCUMENTS = [ROOT / "README.md", ROOT / "docs" / "tuning.md", *sorted(PUBLISHED.glob("*.md"))]


@pytest.mark.parametrize(
    "path", [path for path in DOCUMENTS if path.exists()], ids=lambda path: path.name
)
def test_every_sentence_with_an_interval_is_recomputed(path: Path) -> None:
    """By hand: `race claim FILE.md`."""
    wrong = [one for one in check(path, RESULTS) if one.problem]
    assert [f"line {one.claim.line}: {one.problem}" for one in wrong] == []


def test_the_commands_of_the_results_recompute_them(capsys: pytest.CaptureFixture[str]) -> None:
    text = (PUBLISHED / "README.md").read_text(encoding="utf-8")
    commands = re.findall(r"^\.venv/bin/race (claim [^#\n]+)", text, re.MULTILINE)
    assert len(commands) == 3
    for command in commands:
        assert main(shlex.split(command)) == 0, command
        assert capsys.readouterr().out


def test_the_published_results_make_claims() -> None:
    assert len(check(PUBLISHED / "README.md", RESULTS)) >= 10


@pytest.mark.parametrize(
    "path", [path for path in DOCUMENTS if path.exists()], ids=lambda path: path.name
)
def test_a_ratio_that_the_race_does_not_call_is_marked(path: Path) -> None:
    """With † behind it, which the document explains; no other has one."""
    runs = finder(path.parent, RESULTS)
    text = path.read_text(encoding="utf-8")
    wrong = []
    for claim in claims(text):
        words = shlex.split(claim.body)
        if words[0] in MEASURES and words[0] != "ratio":
            continue
        names, *pair = words[words[0] == "ratio" :]
        tie = measure("verdict", [runs(name) for name in names.split("+")], pair) == TIE
        if tie != claim.said.endswith("†"):
            wrong.append(f"line {claim.line}: {claim.body}")
    assert wrong == []
