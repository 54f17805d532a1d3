"""Where the socket of a private database is when its own folder has too long a path."""

from __future__ import annotations

from pathlib import Path

import pytest

from databases import home as homes
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
    monkeypatch.setattr(homes, "LONGEST_SOCKET_FOLDER", len(str(found)))
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


@pytest.mark.parametrize(("mode", "used"), [(0o700, True), (0o750, False)])
def test_the_user_s_own_folder_comes_first(
    mode: int, used: bool, home: Path, shared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = shared.parent / "own"
    own.mkdir()
    own.chmod(mode)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(own))
    assert (socket_folder(home).parent == own) is used
