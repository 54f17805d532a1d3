"""The gate's action and workflows: pinned, and no more rights than they need."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from runtime.paths import ROOT
from tests.unit.test_supply import ACTION

GATE = ROOT / "docs/gate"
FILES = [ROOT / "action.yml", *sorted(GATE.glob("*.yml"))]
TRIGGER: Any = True
"""YAML takes a bare "on" for a truth."""


def read(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", FILES, ids=lambda it: it.name)
def test_every_action_is_pinned_by_a_commit(path: Path) -> None:
    uses = [line.strip() for line in path.read_text().splitlines() if "uses:" in line]
    assert uses
    assert all(ACTION.search(line) for line in uses), uses


def test_what_runs_a_forks_code_may_read_only_and_has_no_secrets() -> None:
    workflow, text = read(GATE / "measure.yml"), (GATE / "measure.yml").read_text()
    assert workflow[TRIGGER] == "pull_request"
    assert workflow["permissions"] == {"contents": "read"}
    assert "secrets." not in text
    assert "github.token" not in text
    (job,) = workflow["jobs"].values()
    assert "permissions" not in job
    checkout, gate = job["steps"]
    assert checkout["with"] == {"fetch-depth": 0, "persist-credentials": False}
    assert gate["with"].get("mode") is None


def test_what_may_write_runs_nothing_of_a_fork() -> None:
    workflow = read(GATE / "comment.yml")
    assert set(workflow[TRIGGER]) == {"workflow_run"}
    assert workflow[TRIGGER]["workflow_run"]["workflows"] == [read(GATE / "measure.yml")["name"]]
    assert workflow["permissions"] == {}
    (job,) = workflow["jobs"].values()
    assert job["permissions"] == {"actions": "read", "pull-requests": "write"}
    (step,) = job["steps"]
    assert set(step) == {"uses", "with"}
    assert step["with"] == {"mode": "comment"}


def test_no_command_contains_what_a_person_could_have_written() -> None:
    """An expression in a command is code; in a variable it is a text."""
    steps = read(ROOT / "action.yml")["runs"]["steps"]
    commands = [step["run"] for step in steps if "run" in step]
    assert len(commands) == 2
    assert not [command for command in commands if "${{" in command]
    assert all("mode ==" in step["if"] for step in steps)
