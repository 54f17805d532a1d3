"""scripts/gate.sh in a repository of the user's, and the comment that it ends as."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from runtime.paths import ROOT
from tests.live.race.app.test_app import file
from tests.live.race.app.test_commits import repository
from tests.support.site_server import environment

__all__ = ["repository"]

SECONDS = 100.0


def gate(shop: Path, place: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run the script as action.yml does, with this project's command."""
    command = place / "race"
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m race "$@"\n')
    command.chmod(0o755)
    env = {**environment(), "RACE": str(command), "PYTHONPATH": str(ROOT)}
    env |= {"GITHUB_STEP_SUMMARY": str(place / "summary"), "GITHUB_OUTPUT": str(place / "output")}
    return subprocess.run(
        [str(ROOT / "scripts/gate.sh"), str(place / "answer"), *words],
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
        cwd=shop,
        env={**env, "VAR_DIR": str(place / "var")},
    )


def test_a_slower_commit_fails_the_job_and_the_answer_is_there(
    repository: Path, tmp_path: Path
) -> None:
    path = Path(file(repository, "plain"))
    path.write_text(path.read_text().replace('plain = ""\nplain = "plain"', 'plain = ""'))
    words = ["main~1", "main", "--requests", "list", "--rounds", "6", "--slower", "20%"]
    # tests/long has p99 at a shared rate, which takes as long again.
    done = gate(repository, tmp_path, *words, "--set", "load.rates_of_slowest=[]")
    assert done.returncode == 1, done.stderr
    comment = (tmp_path / "answer" / "comment.md").read_text()
    assert "is slower than" in comment
    assert (tmp_path / "summary").read_text() == comment
    assert (tmp_path / "output").read_text() == "status=1\n"
    assert len([*(tmp_path / "answer").glob("races/*/report.html")]) == 1


def test_a_gate_without_an_answer_says_why(repository: Path, tmp_path: Path) -> None:
    done = gate(repository, tmp_path, "main~1", "main", "--file", "nowhere.toml")
    assert done.returncode == 2
    summary = (tmp_path / "summary").read_text()
    assert "**The gate gave no answer (2).**" in summary
    assert "there is no nowhere.toml" in summary


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("| list | +3 % |", "| list | +3 % |"),
        ("@everyone", "@\u200beveryone"),
        ("<img src=x>", "&lt;img src=x>"),
        ("[look](https://x.example)", "[look] (https:\u200b//x.example)"),
        ("![x][y]\n[y]: //x.example", "![x][y]\n[y] : \u200b//x.example"),
        ("a\x1b[31mb", "a[31mb"),
    ],
)
def test_a_comment_is_a_text_that_nobody_trusts(tmp_path: Path, said: str, shown: str) -> None:
    path = tmp_path / "comment.md"
    path.write_text(said + "\n")
    done = subprocess.run(
        [str(ROOT / "scripts/gate-comment.sh"), str(path)],
        capture_output=True,
        timeout=SECONDS,
        check=True,
        env={**os.environ, "LC_ALL": "C.UTF-8"},
    )
    assert done.stdout.decode() == f"<!-- race gate -->\n{shown}\n"


def test_a_comment_has_an_end(tmp_path: Path) -> None:
    path = tmp_path / "comment.md"
    path.write_text("é" * 50_000)
    done = subprocess.run(
        [str(ROOT / "scripts/gate-comment.sh"), str(path)],
        capture_output=True,
        timeout=SECONDS,
        check=True,
    )
    assert len(done.stdout) < 20_100
