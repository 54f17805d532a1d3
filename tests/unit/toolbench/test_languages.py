"""Drivers of other languages: their versions, and why one cannot be measured."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from toolbench import languages
from toolbench.drivers import DRIVERS
from toolbench.languages import LANGUAGES, Language

GO_SOURCES = {"main.go": "package main\n", "go.mod": "module toolbench\n", "go.sum": ""}


class Programs:
    """The programs of a machine: what each prints, by its last word and its options."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.prints = {"node --version": "v18.20.4"}

    def printed(self, *command: str) -> str:
        return self.prints.get(" ".join([Path(command[0]).name, *command[1:]]), "")

    def built(self, sources: str) -> None:
        """Say that Go's runner was built from these sources."""
        info = {"sources": sources, "go": "1.26.8", "drivers": {"pgx": "5.5.5", "pq": "1.10.9"}}
        self.prints["runner -built"] = json.dumps(info)
        path = LANGUAGES["golang"].built
        path.parent.mkdir(exist_ok=True)
        path.touch()


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Programs:
    """Go and Node are installed; their folders are the test's own, and nothing is built."""
    for name, language in LANGUAGES.items():
        monkeypatch.setitem(LANGUAGES, name, language._replace(folder=tmp_path / name))
        (tmp_path / name).mkdir()
    for name, text in GO_SOURCES.items():
        (tmp_path / "golang" / name).write_text(text)
    packages = {"dependencies": {"pg": "1.0.0"}, "optionalDependencies": {"pg-native": "2.0.0"}}
    (tmp_path / "nodejs" / "package.json").write_text(json.dumps(packages))
    found = Programs(tmp_path)
    monkeypatch.setattr(shutil, "which", lambda name: f"/bin/{name}")
    monkeypatch.setattr(languages, "printed", found.printed)
    return found


def test_versions_are_those_that_were_built_in_and_installed(programs: Programs) -> None:
    assert languages.versions() == {}
    programs.built("any")
    package = LANGUAGES["nodejs"].built / "pg" / "package.json"
    package.parent.mkdir(parents=True)
    package.write_text(json.dumps({"name": "pg", "version": "1.0.1"}))
    assert languages.versions() == {
        "go": "1.26.8",
        "go:pgx": "5.5.5",
        "go:pq": "1.10.9",
        "node": "18.20.4",
        "node:pg": "1.0.1",
    }


def test_a_runner_of_other_sources_is_not_measured(programs: Programs) -> None:
    golang = LANGUAGES["golang"]
    pgx = DRIVERS["pgx"]
    assert pgx.not_installed() == "not installed (its runner in golang): make drivers"
    programs.built(golang.digest())
    assert pgx.not_installed() is None
    (golang.folder / "go.mod").write_text("module other\n")
    assert pgx.not_installed() == "built from other versions: make drivers"
    programs.built(golang.digest())
    programs.prints["runner -built"] = "no JSON"
    assert pgx.not_installed() == "built from other versions: make drivers"


def test_a_node_without_packages_or_too_old_is_not_measured(programs: Programs) -> None:
    pg = DRIVERS["node-pg"]
    assert pg.not_installed() == "not installed (its runner in nodejs): make drivers"
    LANGUAGES["nodejs"].built.mkdir()
    assert pg.not_installed() == "not installed (pg, pg-copy-streams): make drivers"
    programs.prints["node --version"] = "v16.20.2"
    assert pg.not_installed() == "node is older than 18"


def test_the_oldest_node_is_that_of_its_packages() -> None:
    language: Language = LANGUAGES["nodejs"]
    package = json.loads((language.folder / "package.json").read_text())
    assert package["engines"]["node"] == f">={language.oldest}"
