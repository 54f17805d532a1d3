"""Kept environments: what they depend on, and what of a checkout is kept."""

from __future__ import annotations

import os
from pathlib import Path, PurePath

import pytest

from race.app.commits import environments
from race.app.commits.environments import building, is_lock, key, restore, slot, tidy

LOCK = [("uv.lock", "1")]


@pytest.fixture(autouse=True)
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("VAR_DIR", str(tmp_path))
    return tmp_path / "environments"


def built(inner: str = "", text: str = "1") -> Path:
    """Build an environment as a race does, and return the path of its checkout."""
    with slot("key", PurePath(inner)) as checkout:
        (checkout / inner).mkdir(parents=True)
        restore(checkout)
        with building(checkout / inner):
            (checkout / inner / ".venv").mkdir(exist_ok=True)
            (checkout / inner / ".venv" / "text").write_text(text)
        (checkout / "module.py").touch()
    return checkout


def failed() -> None:
    """Fail to build in the environment that is kept, as a race does."""
    with slot("key", PurePath()) as checkout:
        checkout.mkdir()
        restore(checkout)
        with building(checkout):
            raise ValueError("failed")


def test_it_depends_on_locks_the_build_the_folder_and_the_interpreter(tmp_path: Path) -> None:
    folder = tmp_path
    found = [
        key(folder, "uv sync", LOCK),
        key(folder, "uv sync --frozen", LOCK),
        key(folder, "uv sync", [("uv.lock", "2")]),
        key(folder / "b", "uv sync", LOCK),
    ]
    assert None not in found
    assert len(set(found)) == len(found)
    assert key(folder, "", LOCK) is key(folder, "uv sync", []) is None


@pytest.mark.parametrize(
    ("path", "inner", "patterns", "found"),
    [
        ("uv.lock", "shop", (), True),
        ("shop/requirements-dev.txt", "shop", (), True),
        ("other/uv.lock", "shop", (), False),
        ("shop/main.py", "shop", (), False),
        ("shop/deps/list", "shop", ("deps/*",), True),
        ("shop/uv.lock", "shop", ("deps/*",), False),
        ("uv.lock", "shop", ("*",), False),
    ],
)
def test_locks_are_those_of_package_managers_or_the_named_ones(
    path: str, inner: str, patterns: tuple[str, ...], found: bool
) -> None:
    assert is_lock(PurePath(path), PurePath(inner), patterns) is found


@pytest.mark.parametrize("inner", ["", "shop"])
def test_the_next_race_has_the_environment_at_the_same_path_and_nothing_else(inner: str) -> None:
    first = built(inner)
    assert not first.exists()
    with slot("key", PurePath(inner)) as checkout:
        assert checkout == first
        (checkout / inner).mkdir(parents=True)
        restore(checkout)
        assert (checkout / inner / ".venv" / "text").read_text() == "1"
        assert not (checkout / "module.py").exists()
        with slot("key", PurePath(inner)) as second:
            assert second != checkout


def test_what_a_commit_brings_itself_is_not_replaced() -> None:
    built()
    with slot("key", PurePath()) as checkout:
        (checkout / ".venv").mkdir(parents=True)
        restore(checkout)
        assert not (checkout / ".venv" / "text").exists()


def test_one_whose_build_failed_is_not_kept() -> None:
    built()
    with pytest.raises(ValueError, match="failed"):
        failed()
    with slot("key", PurePath()) as checkout:
        checkout.mkdir()
        restore(checkout)
        assert list(checkout.iterdir()) == []


def test_old_ones_and_those_beyond_the_bound_are_removed(
    places: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = built().parent
    tidy()
    assert (place / "kept" / ".venv" / "text").exists()
    os.utime(place, (0, 0))
    tidy()
    assert not place.exists()
    built()
    monkeypatch.setattr(environments, "MOST", 0)
    tidy()
    assert list(places.iterdir()) == []
