"""Checkouts of commits: each is what was committed, and the user's repository stays as it is."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from race.app.commits import checkouts
from race.app.commits import command as commits
from race.app.commits.checkouts import (
    AUTHOR_ENV,
    WORKTREE,
    Checkout,
    checked_out,
    git,
    resolved,
)
from race.app.commits.environments import building
from race.errors import RaceError
from runtime.paths import ROOT


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


def test_submodules_have_the_commit_that_was_recorded_also_within_each_other(
    repository: Path, tmp_path: Path
) -> None:
    inner, outer = (nested(tmp_path / name, name) for name in ("inner", "outer"))
    add_submodule(outer, inner)
    add_submodule(repository.parent, outer)
    git(repository.parent, *LOCAL, "submodule", "--quiet", "update", "--init", "--recursive")
    user = repository.parent / "outer" / "inner"
    (user / "inner.py").write_text("later")
    commit(user, "later")
    with checked_out(repository, wanted(repository, "HEAD")) as places:
        (place,) = places.values()
        assert (place.parent / "outer" / "inner" / "inner.py").read_text() == "inner"


def test_a_submodule_that_cannot_be_had_is_one_line(repository: Path, tmp_path: Path) -> None:
    part = nested(tmp_path / "part", "part")
    add_submodule(repository.parent, part)
    for name in (".git/modules/part/objects", "part"):
        shutil.rmtree(repository.parent / name)
    (repository.parent / "part").mkdir()
    with (
        pytest.raises(RaceError, match=r"submodule part is not there: git submodule update --init"),
        checked_out(repository, wanted(repository, "HEAD")),
    ):
        pass
    git(repository.parent / "part", "init", "--quiet")
    with (
        pytest.raises(RaceError, match=r"submodule part lacks commit [0-9a-f]{12}: git submodule"),
        checked_out(repository, wanted(repository, "HEAD")),
    ):
        pass


LOCAL = ("-c", "protocol.file.allow=always")


def nested(folder: Path, text: str) -> Path:
    folder.mkdir()
    git(folder, "init", "--quiet")
    (folder / f"{text}.py").write_text(text)
    commit(folder, text)
    return folder


def add_submodule(folder: Path, part: Path) -> None:
    git(folder, *LOCAL, "submodule", "--quiet", "add", str(part), part.name)
    commit(folder, f"with {part.name}")


HARNESS = """
import sys, time
from pathlib import Path
from race.app.commits.checkouts import Checkout, checked_out, resolved
folder = Path(sys.argv[1])
(commit,) = resolved(folder, ["HEAD"]).values()
with checked_out(folder, {Checkout("HEAD", "make"): commit, Checkout("HEAD", ""): commit}):
    print("there", flush=True)
    time.sleep(600)
"""


def test_what_a_killed_race_left_is_removed(repository: Path, tmp_path: Path) -> None:
    (repository / "uv.lock").touch()
    commit(repository, "with a lock")
    words = [sys.executable, "-c", HARNESS, str(repository)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, cwd=ROOT) as harness:
        try:
            assert harness.stdout
            assert harness.stdout.readline() == b"there\n"
        finally:
            harness.kill()
    left = [*(tmp_path / "var").glob("checkouts/*"), *(tmp_path / "var").glob("environments/*/ch*")]
    assert len(left) == 2
    with checked_out(repository, wanted(repository, "HEAD")) as first:
        assert not any(one.exists() for one in left)
        with checked_out(repository, wanted(repository, "HEAD")):
            assert all(place.exists() for place in first.values())


def test_an_environment_is_kept_for_the_same_locks(repository: Path) -> None:
    def race(*revisions: str) -> dict[str, bool]:
        """Build commits, and return which had an environment before."""
        named = resolved(repository, revisions)
        several = {Checkout(name, "uv sync"): commit for name, commit in named.items()}
        with checked_out(repository, several) as places:
            found = {one.commit: (place / ".venv").exists() for one, place in places.items()}
            for place in places.values():
                with building(place):
                    (place / ".venv").mkdir(exist_ok=True)
        return found

    assert race("main") == {"main": False}
    (repository / "uv.lock").write_text("1")
    commit(repository, "with a lock")
    assert race("main~1", "main") == {"main~1": False, "main": False}
    (repository / "app.py").write_text("4")
    commit(repository, "the same lock")
    assert race("main~1", "main") == {"main~1": True, "main": False}
    assert race("main~1", "main") == {"main~1": True, "main": True}
    (repository / "uv.lock").write_text("2")
    commit(repository, "another lock")
    assert race("main~1", "main") == {"main~1": True, "main": False}


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
    with pytest.raises(RaceError, match=r"HEAD has no commit that HEAD lacks: .*HEAD~1 HEAD"):
        commits._pair(repository, ["HEAD"])
    with pytest.raises(RaceError, match="HEAD has no commit that change lacks"):
        commits._pair(repository, ["change"])


def test_a_name_that_no_label_can_have_becomes_a_hash(repository: Path) -> None:
    (name,) = resolved(repository, ["main@{0}"])
    assert name == checkouts.resolved(repository, ["main"])["main"][:12]
