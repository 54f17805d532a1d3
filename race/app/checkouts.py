"""Checkouts of the commits that race.

Each is a clone that shares the objects of the user's repository. Nothing else of that repository is
written: neither its working tree, nor its index, nor its list of worktrees.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import psutil

from race.errors import RaceError
from race.paths import var

WORKTREE = "WORKTREE"
"""Stands for the files as they are, committed or not; ignored ones are left out."""
SECONDS = 600.0
"""The longest that one command of git may take."""
NOBODY = {
    f"GIT_{who}_{what}": text
    for who in ("AUTHOR", "COMMITTER")
    for what, text in (("NAME", "race"), ("EMAIL", "race@localhost"))
}


def resolved(folder: Path, revisions: Iterable[str]) -> dict[str, str]:
    """Return the commit of each revision by its name, or by a short hash where the name cannot be
    part of a label. RaceError if there is no such commit.
    """
    found = ((name, _commit(folder, name)) for name in revisions)
    return {
        name if re.fullmatch(r"[\w./~^+-]+", name) else commit[:12]: commit
        for name, commit in found
    }


def _commit(folder: Path, revision: str) -> str:
    if revision == WORKTREE:
        return _snapshot(folder)
    try:
        return git(
            folder, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}"
        )
    except RaceError:
        root(folder)  # says so where there is no repository at all
        shallow = git(folder, "rev-parse", "--is-shallow-repository") == "true"
        hint = ": this clone is shallow, `git fetch --unshallow` gets it" if shallow else ""
        raise RaceError(f"{folder} has no commit {revision!r}{hint}") from None


def root(folder: Path) -> Path:
    """Return the top folder of the repository that a folder is in. RaceError without one."""
    try:
        return Path(git(folder, "rev-parse", "--show-toplevel"))
    except RaceError:
        raise RaceError(f"{folder} is in no git repository") from None


def merge_base(folder: Path, one: str, other: str) -> str:
    """Return the commit that two revisions have both come from. RaceError if there is none."""
    commits = resolved(folder, (one, other))
    try:
        return git(folder, "merge-base", *commits.values())
    except RaceError:
        raise RaceError(f"{one} and {other} have no commit in common") from None


def _snapshot(folder: Path) -> str:
    """Return a commit of the files as they are, made with an index of its own."""
    top = root(folder)
    with tempfile.TemporaryDirectory(prefix="race-") as place:
        env = {**NOBODY, "GIT_INDEX_FILE": str(Path(place) / "index")}
        git(top, "read-tree", "HEAD", env=env)
        git(top, "add", "--all", env=env)
        tree = git(top, "write-tree", env=env)
        return git(top, "commit-tree", tree, "-p", "HEAD", "-m", WORKTREE, env=env)


@contextmanager
def checked_out(folder: Path, commits: Mapping[str, str]) -> Iterator[dict[str, Path]]:
    """Check each commit out for the length of a `with`; give what `folder` is there, by name."""
    if not commits:
        yield {}
        return
    top = root(folder)
    inner = folder.resolve().relative_to(top.resolve())
    _remove_left()
    place = _places() / f"{os.getpid()}-{psutil.Process().create_time():.2f}"
    place.mkdir(parents=True)
    try:
        found = {}
        for name, commit in commits.items():
            target = place / commit[:12]
            if not target.exists():
                _clone(top, commit, target)
            found[name] = target / inner
            if not found[name].is_dir():
                raise RaceError(f"commit {name} has no folder {inner}")
        yield found
    finally:
        shutil.rmtree(place, ignore_errors=True)


def _clone(top: Path, commit: str, target: Path) -> None:
    git(top, "clone", "--quiet", "--shared", "--no-checkout", str(top), str(target))
    git(target, "checkout", "--quiet", "--detach", commit)
    if not (target / ".gitmodules").exists():
        return
    for line in git(
        target, "config", "--file", ".gitmodules", "--get-regexp", r"\.path$"
    ).splitlines():
        key, _, path = line.partition(" ")
        if not (top / path / ".git").exists():
            raise RaceError(f"submodule {path} is not there: git submodule update --init")
        name = key.removeprefix("submodule.").removesuffix(".path")
        git(target, "config", f"submodule.{name}.url", str(top / path))
    git(target, "-c", "protocol.file.allow=always", "submodule", "--quiet", "update", "--init")


def _places() -> Path:
    return var() / "checkouts"


def _remove_left() -> None:
    """Remove checkouts of harnesses that were killed."""
    for path in _places().glob("*-*"):
        pid, _, began = path.name.partition("-")
        try:
            alive = f"{psutil.Process(int(pid)).create_time():.2f}" == began
        except (psutil.Error, ValueError):
            alive = False
        if not alive:
            shutil.rmtree(path, ignore_errors=True)


def git(folder: Path, *words: str, env: Mapping[str, str] | None = None) -> str:
    """Return what a command of git prints. RaceError with its last line if it fails."""
    own = {name: text for name, text in os.environ.items() if not name.startswith("GIT_")}
    command: Sequence[str] = ["git", "-C", str(folder), *words]
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
            stdin=subprocess.DEVNULL,
            env={**own, "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0", **(env or {})},
        )
    except FileNotFoundError:
        raise RaceError("git is not installed: apt-get install git") from None
    except (OSError, subprocess.TimeoutExpired) as error:
        raise RaceError(f"git {words[0]}: {error}") from None
    if done.returncode:
        said = done.stderr.strip().splitlines() or ["it failed"]
        raise RaceError(f"git {words[0]}: {said[-1]}")
    return done.stdout.strip()
