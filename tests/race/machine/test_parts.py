"""The list of parts: all that a lock or a recipe names is in it, with version and licence."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from race.commands import doctor
from race.discipline import Finding
from race.machine import parts as listed
from race.machine.parts import OF_ITS_PARTS, UNKNOWN, Part, golang, parts
from runtime.paths import ROOT

LOCKED = re.compile(r"^([\w.-]+)==(\S+)", re.MULTILINE)


@pytest.fixture(scope="module")
def every() -> list[dict[str, str]]:
    return parts()


def test_every_part_has_a_version_and_a_licence(every: list[dict[str, str]]) -> None:
    for part in every:
        assert list(part) == ["where", "name", "version", "licence"]
        assert all(part.values()), part
    assert not [one for one in every if UNKNOWN in one.values() and "golang" not in one["where"]]


@pytest.mark.parametrize(("where", "lock"), [(".venv", "current"), (".venv-3.7", "py37")])
def test_every_package_of_a_lock_is_a_part(
    every: list[dict[str, str]], where: str, lock: str
) -> None:
    here = {_plain(one["name"]): one["version"] for one in every if one["where"] == where}
    if not here:
        pytest.skip(f"no {where}")
    text = (ROOT / f"requirements/{lock}.txt").read_text(encoding="utf-8")
    # A lock has packages for other interpreters and systems too.
    locked = [(_plain(name), version) for name, version in LOCKED.findall(text)]
    assert {name for name, _ in locked} & set(here) > {"aiohttp", "asyncpg", "uvloop"}
    wrong = {name: here[name] for name, _ in locked if name in here}
    assert set(wrong.items()) <= set(locked)
    assert "cpython" in here


def test_packages_of_other_languages_and_images_are_parts(every: list[dict[str, str]]) -> None:
    by_name = {one["name"]: one for one in every}
    assert by_name["github.com/jackc/pgx/v5"]["version"].startswith("v5.")
    assert by_name["pg"]["licence"] == "MIT"
    assert by_name["image postgres"]["licence"] == OF_ITS_PARTS
    assert "@sha256:" in by_name["image postgres"]["version"]
    assert by_name["action actions/checkout"]["licence"] == "MIT"


def test_a_licence_is_told_by_its_text(tmp_path: Path) -> None:
    folder = tmp_path / "github.com/lib/pq@v1.10.9"
    folder.mkdir(parents=True)
    (folder / "LICENSE.md").write_text("Permission is hereby granted, free of charge, to")
    found = {one.name: one.licence for one in golang(tmp_path)}
    assert found["github.com/lib/pq"] == "MIT"
    assert found["github.com/jackc/pgx/v5"] == UNKNOWN


def test_an_environment_that_says_nothing_is_not_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listed, "output", lambda command: "")
    assert Part(".venv", "its packages", UNKNOWN, UNKNOWN) in list(listed.python())


@pytest.mark.parametrize(
    ("named", "licence"),
    [
        (["MIT AND PSF-2.0", "MIT", ""], "MIT AND PSF-2.0"),
        ([None, "Copyright (c) 2001\n" * 9, "BSD License"], "BSD License"),
        ([None, "a" * 61, "BSD License"], "BSD License"),
        ([None, "UNKNOWN", "LGPL"], "LGPL"),
        ([None, None, ""], UNKNOWN),
    ],
)
def test_a_package_names_its_licence_in_several_ways(named: list[str | None], licence: str) -> None:
    assert listed._named(named) == licence


def test_the_doctor_lists_them(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from race.cli import main

    for part in ("_programs", "_machine", "_noise", "_disciplines"):
        monkeypatch.setattr(doctor, part, list)
    made = [{"where": "x", "name": "y", "version": "1", "licence": UNKNOWN}]
    monkeypatch.setattr(doctor, "parts", lambda: made)
    assert main(["doctor", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["parts"] == made
    assert main(["doctor"]) == 0
    assert "1, listed with their licences by --json; none known of y" in capsys.readouterr().out
    told = Finding("parts", None, "0, listed with their licences by --json")
    assert doctor._licences([]) == told


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
