"""What a result says of the drivers of other languages."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import absent
from toolbench import versions as told
from toolbench.drivers import DRIVERS


def test_versions_are_those_that_were_locked_and_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runner = tmp_path / "runner"
    runner.touch()
    monkeypatch.setattr(told, "RUNNER", runner)
    monkeypatch.setattr(told, "PACKAGES", tmp_path)
    (tmp_path / "package.json").write_text(
        json.dumps(
            {"dependencies": {"pg": "1.0.0"}, "optionalDependencies": {"pg-native": "2.0.0"}}
        )
    )
    package = tmp_path / "node_modules" / "pg" / "package.json"
    package.parent.mkdir(parents=True)
    package.write_text(json.dumps({"name": "pg", "version": "1.0.0"}))
    found = told.versions()
    assert found.keys() == {"go", "go:pgx", "go:pq", "node", "node:pg"}
    assert found["node:pg"] == "1.0.0"
    assert str(found["go:pgx"]).startswith("5.")


def test_what_was_not_built_is_not_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(told, "RUNNER", tmp_path / "runner")
    monkeypatch.setattr(told, "PACKAGES", tmp_path)
    empty = {"dependencies": {}, "optionalDependencies": {}}
    (tmp_path / "package.json").write_text(json.dumps(empty))
    assert told.versions() == {}


def test_every_package_that_a_line_of_the_registry_needs_is_told() -> None:
    for name in ("node-pg", "node-pg-native", "node-postgres", "pgx", "pq"):
        if lacking := DRIVERS[name].lacking():
            absent(f"{name}: {lacking}")
    found = told.versions()
    for tool in DRIVERS.values():
        if tool.target == "nodejs":
            assert all(found[f"node:{package}"] for package in tool.needs)
    assert found["go"]
    assert found["node"]
