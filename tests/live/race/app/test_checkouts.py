"""Checkouts of commits: each is what was committed, and the user's repository stays as it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from race.app.commits import checkouts
from race.app.commits import command as commits
from race.app.commits.checkouts import (
    AUTHOR_ENV,
    LOCK,
    WORKTREE,
    Checkout,
    checked_out,
    git,
    resolved,
)
from race.errors import RaceError


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository whose folder `shop` has one commit of "1" and one of "2", and then "3"."""
    monkeypatch.setenv("VAR_DIR", str(tmp_path / "var"))
    folder = tmp_path / "all" / "shop"
    folder.mkdir(parents=True)
    git(folder.parent, "init", "--quiet", "--initial-branch", "main")
    (folder / ".gitignore").write_text("ignored\n")
    for text in "12":
        (folder / "app.py").write_text(text)
        commit(folder, text)
    (folder / "app.py").write_text("3")
    (folder / "new.py").write_text("new")
    (folder / "ignored").write_text("secret")
    return folder


def commit(folder: Path, text: str) -> None:
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", text, env=AUTHOR_ENV)


def wanted(folder: Path, *revisions: str) -> dict[Checkout, str]:
    return {Checkout(name, ""): commit for name, commit in resolved(folder, revisions).items()}


def contents(folder: Path) -> dict[Path, bytes]:
    """Return every file, and of git's own those that a person could miss."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path: path.read_bytes() for path in files if "objects" not in path.parts}


def test_commits_and_what_is_not_committed_are_checked_out(repository: Path) -> None:
    before = contents(repository.parent)
    with checked_out(repository, wanted(repository, "main~1", "HEAD", WORKTREE)) as found:
        places = {one.commit: place for one, place in found.items()}
        texts = {name: (place / "app.py").read_text() for name, place in places.items()}
        assert texts == {"main~1": "1", "HEAD": "2", WORKTREE: "3"}
        assert (places[WORKTREE] / "new.py").exists()
        assert not (places[WORKTREE] / "ignored").exists()
        assert not (places["HEAD"] / "new.py").exists()
        (places["HEAD"] / "app.py").write_text("changed by a build")
    assert not any(place.exists() for place in places.values())
    assert contents(repository.parent) == before


def test_a_submodule_is_checked_out_from_the_users_own(repository: Path, tmp_path: Path) -> None:
    part = tmp_path / "part"
    part.mkdir()
    git(part, "init", "--quiet")
    (part / "part.py").write_text("part")
    commit(part, "part")
    local = ("-c", "protocol.file.allow=always")
    git(repository.parent, *local, "submodule", "--quiet", "add", str(part), "part")
    commit(repository.parent, "with a submodule")
    part.rename(tmp_path / "moved")
    with checked_out(repository, wanted(repository, "HEAD")) as places:
        (place,) = places.values()
        assert (place.parent / "part" / "part.py").read_text() == "part"


def test_what_a_killed_race_left_is_removed(repository: Path, tmp_path: Path) -> None:
    left = tmp_path / "var" / "checkouts" / "left"
    left.mkdir(parents=True)
    (left / LOCK).touch()
    with checked_out(repository, wanted(repository, "HEAD")) as first:
        assert not left.exists()
        with checked_out(repository, wanted(repository, "HEAD")):
            assert all(place.exists() for place in first.values())


def test_files_that_were_added_though_ignored_are_in_what_is_not_committed(
    repository: Path,
) -> None:
    git(repository, "add", "--force", "ignored")
    with checked_out(repository, wanted(repository, WORKTREE)) as places:
        (place,) = places.values()
        assert (place / "ignored").read_text() == "secret"


def test_a_shallow_clone_races_what_it_has(repository: Path, tmp_path: Path) -> None:
    shallow = tmp_path / "shallow"
    git(tmp_path, "clone", "--quiet", "--depth", "1", f"file://{repository.parent}", str(shallow))
    with checked_out(shallow / "shop", wanted(shallow, "HEAD", WORKTREE)) as places:
        assert {(place / "app.py").read_text() for place in places.values()} == {"2"}


def test_a_wrong_revision_or_folder_is_one_line(repository: Path, tmp_path: Path) -> None:
    with pytest.raises(RaceError, match="has no commit 'nobody'"):
        resolved(repository, ["nobody"])
    with pytest.raises(RaceError, match="has no commit '--all'"):
        resolved(repository, ["--all"])
    with pytest.raises(RaceError, match="is in no git repository"):
        resolved(tmp_path, ["HEAD"])
    shallow = tmp_path / "shallow"
    git(tmp_path, "clone", "--quiet", "--depth", "1", f"file://{repository.parent}", str(shallow))
    with pytest.raises(RaceError, match="this clone is shallow, `git fetch --unshallow`"):
        resolved(shallow, ["HEAD~1"])
    (repository.parent / "later").mkdir()
    with (
        pytest.raises(RaceError, match="commit HEAD has no folder later"),
        checked_out(repository.parent / "later", wanted(repository, "HEAD")),
    ):
        pass


def test_one_revision_means_what_it_and_head_have_in_common(repository: Path) -> None:
    git(repository, "checkout", "--quiet", "-b", "change")
    commit(repository, "3")
    base = resolved(repository, ["main"])["main"][:12]
    assert commits._pair(repository, []) == [base, "HEAD"]
    assert commits._pair(repository, ["main"]) == [base, "HEAD"]
    assert commits._pair(repository, ["main~1", "main"]) == ["main~1", "main"]
    assert commits._pair(repository, ["WORKTREE"]) == ["HEAD", "WORKTREE"]
    with pytest.raises(RaceError, match="HEAD is part of HEAD already"):
        commits._pair(repository, ["HEAD"])
    with pytest.raises(RaceError, match="HEAD is part of change already"):
        commits._pair(repository, ["change"])


def test_a_name_that_no_label_can_have_becomes_a_hash(repository: Path) -> None:
    (name,) = resolved(repository, ["main@{0}"])
    assert name == checkouts.resolved(repository, ["main"])["main"][:12]
