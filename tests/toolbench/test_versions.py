"""What a result says of the drivers of other languages; what is too old for one is not measured."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import absent
from toolbench.drivers import DRIVERS, LANGUAGES, Language
from toolbench.versions import versions

GO_SOURCES = {"main.go": "package main\n", "go.mod": "module toolbench\n", "go.sum": ""}


@pytest.fixture
def languages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Language]:
    """Go and Node in folders of the test's own; nothing is built."""
    for name, language in LANGUAGES.items():
        monkeypatch.setitem(LANGUAGES, name, language._replace(folder=tmp_path / name))
        (tmp_path / name).mkdir()
    for name, text in GO_SOURCES.items():
        (tmp_path / "golang" / name).write_text(text)
    packages = {"dependencies": {"pg": "1.0.0"}, "optionalDependencies": {"pg-native": "2.0.0"}}
    (tmp_path / "nodejs" / "package.json").write_text(json.dumps(packages))
    (tmp_path / "bin").mkdir()
    install(tmp_path / "bin" / "go", "go version go1.19 linux/amd64")
    install(tmp_path / "bin" / "node", "v18.20.4")
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    return LANGUAGES


def install(path: Path, says: str) -> None:
    """A program that says that."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\necho '{says}'\n")
    path.chmod(0o755)


def built(language: Language, sources: str) -> None:
    """Go's runner."""
    said = {"sources": sources, "go": "1.26.8", "drivers": {"pgx": "5.5.5", "pq": "1.10.9"}}
    install(language.built, json.dumps(said))


def test_versions_are_those_that_were_built_in_and_installed(
    languages: dict[str, Language],
) -> None:
    assert versions() == {}
    built(languages["golang"], "any")
    package = languages["nodejs"].built / "pg" / "package.json"
    package.parent.mkdir(parents=True)
    package.write_text(json.dumps({"name": "pg", "version": "1.0.1"}))
    assert versions() == {
        "go": "1.26.8",
        "go:pgx": "5.5.5",
        "go:pq": "1.10.9",
        "node": "18.20.4",
        "node:pg": "1.0.1",
    }


def test_a_runner_of_other_sources_is_not_measured(languages: dict[str, Language]) -> None:
    golang = languages["golang"]
    assert DRIVERS["pgx"].lacking() == "not installed (its runner in golang): make drivers"
    built(golang, golang.digest())
    assert DRIVERS["pgx"].lacking() is None
    (golang.folder / "go.mod").write_text("module other\n")
    assert DRIVERS["pgx"].lacking() == "built from other versions: make drivers"


def test_a_runner_that_says_nothing_of_itself_is_not_measured(
    languages: dict[str, Language],
) -> None:
    install(languages["golang"].built, "hm")
    assert DRIVERS["pq"].lacking() == "built from other versions: make drivers"


def test_a_node_that_is_too_old_is_named(languages: dict[str, Language], tmp_path: Path) -> None:
    assert DRIVERS["node-pg"].lacking() == "not installed (its runner in nodejs): make drivers"
    languages["nodejs"].built.mkdir()
    assert DRIVERS["node-pg"].lacking() == "not installed (pg, pg-copy-streams): make drivers"
    install(tmp_path / "old" / "node", "v16.20.2")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("PATH", str(tmp_path / "old"))
        assert DRIVERS["node-pg"].lacking() == "node is older than 18"


def test_the_oldest_node_is_the_one_that_its_packages_are_for() -> None:
    package = json.loads((LANGUAGES["nodejs"].folder / "package.json").read_text())
    assert package["engines"]["node"] == f">={LANGUAGES['nodejs'].oldest}"


def test_every_package_that_a_line_of_the_registry_needs_is_told() -> None:
    for name in ("node-pg", "node-pg-native", "node-postgres", "pgx", "pq"):
        if lacking := DRIVERS[name].lacking():
            absent(f"{name}: {lacking}")
    found = versions()
    for name, tool in DRIVERS.items():
        if tool.target == "nodejs":
            assert all(found[f"node:{package}"] for package in tool.needs)
        elif tool.target == "golang":
            assert found[f"go:{name}"]
    assert found["go"]
    assert found["node"]
