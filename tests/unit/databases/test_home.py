"""The socket of a private database lies elsewhere when its own folder has too long a path."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from databases.home import remove_socket_folder, socket_folder


@pytest.fixture
def home(tmp_path: Path) -> Path:
    found = tmp_path / ("long" * 20)
    found.mkdir()
    return found


@pytest.fixture
def shared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder for temporary files, which others may write into."""
    found = tmp_path / "shared"
    found.mkdir()
    found.chmod(0o777)
    monkeypatch.setattr("databases.home.LONGEST_SOCKET_FOLDER", len(str(found)))
    monkeypatch.setattr("tempfile.tempdir", str(found))
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
    return found


def test_a_short_folder_has_its_own(tmp_path: Path, shared: Path) -> None:
    assert socket_folder(tmp_path) == tmp_path


def test_it_stays_for_the_life_of_a_database_and_is_another_in_the_next(
    home: Path, shared: Path
) -> None:
    first = socket_folder(home)
    assert first.parent == shared
    assert first.stat().st_mode & 0o777 == 0o700
    assert socket_folder(home) == first
    remove_socket_folder(home)
    assert not first.exists()
    first.mkdir(mode=0o777)  # by somebody who has seen it
    assert socket_folder(home) != first


def test_what_others_may_write_into_is_not_used_again(home: Path, shared: Path) -> None:
    first = socket_folder(home)
    first.chmod(0o770)
    second = socket_folder(home)
    assert second != first
    second.rename(shared / "elsewhere")
    second.symlink_to(shared / "elsewhere")
    assert socket_folder(home) not in (first, second)


def test_sockets_and_their_locks_are_removed_and_nothing_else(home: Path, shared: Path) -> None:
    made = socket_folder(home)
    os.mknod(made / ".s.PGSQL.5432", stat.S_IFSOCK | 0o600)
    (made / ".s.PGSQL.5432.lock").touch()
    (made / "diary").touch()
    remove_socket_folder(home)
    assert [path.name for path in made.iterdir()] == ["diary"]
    (made / "diary").unlink()
    remove_socket_folder(home)
    assert not made.exists()


@pytest.mark.parametrize(("name", "mode"), [("victim", 0o700), ("databases-victim", 0o755)])
def test_a_folder_with_another_name_or_open_to_others_is_not_removed(
    name: str, mode: int, home: Path, shared: Path
) -> None:
    victim = shared / name
    victim.mkdir(mode=mode)
    (home / "sockets").write_text(str(victim))
    remove_socket_folder(home)
    assert victim.exists()


def test_an_empty_note_is_not_the_current_folder(
    home: Path, shared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    current = shared / "databases-current"
    current.mkdir(mode=0o700)
    monkeypatch.chdir(current)
    (home / "sockets").touch()
    assert socket_folder(home).is_absolute()


def test_a_short_folder_needs_no_note(tmp_path: Path, shared: Path) -> None:
    victim = shared / "databases-victim"
    victim.mkdir(mode=0o700)
    (tmp_path / "sockets").write_text(str(victim))
    remove_socket_folder(tmp_path)
    assert victim.exists()


@pytest.mark.parametrize(("mode", "used"), [(0o700, True), (0o750, False)])
def test_the_user_s_own_folder_comes_first(
    mode: int, used: bool, home: Path, shared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = shared.parent / "own"
    own.mkdir()
    own.chmod(mode)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(own))
    assert (socket_folder(home).parent == own) is used
