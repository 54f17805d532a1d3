"""Versions of CPython, with and without the GIL."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from handlers.engine import parse
from runtime import interpreters, versions
from runtime.plugin import Plugin


def test_a_version_ends_in_t_without_the_lock() -> None:
    assert versions.minor(versions.own()).startswith("{}.{}".format(*sys.version_info))
    assert [versions.minor(text) for text in ("3.12.1", "3.14.0t", "3.14t", "3.7", "")] == [
        *("3.12", "3.14t", "3.14t", "3.7", ""),
    ]
    assert [versions.is_free_threaded(text) for text in ("3.14", "3.14t", "3.14.0t")] == [
        *(False, True, True),
    ]
    known = ["3.14t", "3.7", "3.14", "3.9"]
    assert sorted(known, key=versions.order) == ["3.7", "3.9", "3.14", "3.14t"]


@pytest.mark.parametrize(
    ("text", "whether"),
    [("3.7", True), ("3.14t", True), ("3.14.0t", False), (".venv-fast", False), ("3.14tt", False)],
)
def test_a_version_is_no_folder(text: str, whether: bool) -> None:
    assert versions.is_minor(text) == whether


def test_engines_suit_a_build_without_the_lock_as_they_suit_its_version() -> None:
    assert Plugin("a:b", python="3.10+").suits("3.14t")
    assert Plugin("a:b", python="3.10+").suits("3.14.0t")
    assert not Plugin("a:b", python="3.14+").suits("3.13t")
    assert parse("asgi-granian-aiomysql-pool").suits("3.13t")
    assert not parse("japronto-memory-one").suits("3.14t")


def test_environments_of_both_builds_are_told_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("3.9", "3.14", "3.14t"):
        folder = tmp_path / f".venv-{name}"
        (folder / "bin").mkdir(parents=True)
        (folder / "bin" / "python").touch()
        (folder / "lib" / f"python{name}" / "site-packages").mkdir(parents=True)
        (folder / "pyvenv.cfg").write_text(f"version = {name.rstrip('t')}.1\n")
    monkeypatch.setattr(interpreters, "ROOT", tmp_path)
    assert interpreters.found_versions() == ["3.14t", "3.14", "3.9"]
    found = [interpreters.version_of(tmp_path / f".venv-{name}") for name in ("3.14", "3.14t")]
    assert found == ["3.14", "3.14t"]
