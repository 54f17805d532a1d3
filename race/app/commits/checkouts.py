"""Checkouts of the commits that race.

Each is a repository that shares the objects of the user's. Nothing else of that repository is
written: neither its working tree, nor its index, nor its list of worktrees.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path, PurePath
from typing import NamedTuple

from race.app.commits import environments
from race.errors import RaceError
from race.timeouts import TIMEOUTS
from runtime.paths import var

LOCK = "lock"
WORKTREE = "WORKTREE"
"""Stands for the files as they are, committed or not; ignored ones are left out."""
SHALLOW = "this clone is shallow, `git fetch --unshallow` gets all commits"
FETCH = "git submodule update --init --recursive, or git fetch in it"
AUTHOR_ENV = {
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
    words = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    try:
        return git(folder, *words)
    except RaceError:
        root(folder)  # says so where there is no repository at all
        hint = f": {SHALLOW}" if _is_shallow(folder) else ""
        raise RaceError(f"{folder} has no commit {revision!r}{hint}") from None


def root(folder: Path) -> Path:
    """Return the top folder of the repository that a folder is in. RaceError without one."""
    try:
        return Path(git(folder, "rev-parse", "--show-toplevel"))
    except RaceError as error:
        none = "not a git repository" in str(error)
        raise RaceError(f"{folder} is in no git repository" if none else str(error)) from None


def merge_base(folder: Path, one: str, other: str) -> str:
    """Return the commit that two revisions have both come from. RaceError if there is none."""
    commits = [_commit(folder, name) for name in (one, other)]
    try:
        return git(folder, "merge-base", *commits)
    except RaceError:
        hint = f"; {SHALLOW}" if _is_shallow(folder) else ""
        raise RaceError(f"{one} and {other} have no commit in common{hint}") from None


def _is_shallow(folder: Path) -> bool:
    return git(folder, "rev-parse", "--is-shallow-repository") == "true"


def _snapshot(folder: Path) -> str:
    """Return a commit of the files as they are, made with an index of its own."""
    top = root(folder)
    with tempfile.TemporaryDirectory(prefix="race-") as place:
        env = {**AUTHOR_ENV, "GIT_INDEX_FILE": str(Path(place) / "index")}
        shutil.copyfile(_inside(top, "index"), env["GIT_INDEX_FILE"])
        git(top, "add", "--all", env=env)
        tree = git(top, "write-tree", env=env)
        return git(top, "commit-tree", tree, "-p", "HEAD", "-m", WORKTREE, env=env)


class Checkout(NamedTuple):
    """A commit's name and the command that builds it, which have a checkout of their own."""

    commit: str
    build: str


@contextmanager
def checked_out(
    folder: Path, commits: Mapping[Checkout, str], locks: Sequence[str] = ()
) -> Iterator[dict[Checkout, Path]]:
    """Check each commit out for the length of a `with`; give what `folder` is there. `locks` are
    the patterns of its lock files, by default those of `environments`.
    """
    if not commits:
        yield {}
        return
    top = root(folder)
    inner = folder.resolve().relative_to(top.resolve())
    _remove_left()
    environments.tidy()
    with _own_place() as place, ExitStack() as slots:
        found = {}
        for number, (wanted, commit) in enumerate(commits.items()):
            known = _locks(top, commit, inner, locks)
            target = place / f"{commit[:12]}-{number}"
            if key := environments.key(folder, wanted.build, known):
                target = slots.enter_context(environments.slot(key, inner))
            _check_out(top, commit, target)
            found[wanted] = target / inner
            if not found[wanted].is_dir():
                raise RaceError(f"commit {wanted.commit} has no folder {inner}")
            if key:
                environments.restore(target)
        yield found


def _locks(top: Path, commit: str, inner: Path, patterns: Sequence[str]) -> list[tuple[str, str]]:
    """Return the path and the hash of each lock file of a commit."""
    return [
        (path, content)
        for path, (_, content) in _tree(top, commit).items()
        if environments.is_lock(PurePath(path), inner, patterns)
    ]


def _tree(top: Path, commit: str) -> dict[str, tuple[str, str]]:
    """Return the kind and the hash of everything in a commit, by path."""
    listed = git(top, "ls-tree", "-r", "-z", "--full-tree", commit).split("\0")
    parts = (line.partition("\t") for line in listed if line)
    return {path: (about.split()[1], about.split()[2]) for about, _, path in parts}


def _check_out(top: Path, commit: str, target: Path) -> None:
    """Make a repository that takes its objects from another one, and check a commit out in it, with
    the commits of its submodules.
    """
    git(top, "init", "--quiet", "--template=", str(target))
    (target / ".git" / "objects" / "info").mkdir(exist_ok=True)
    (target / ".git" / "objects" / "info" / "alternates").write_text(f"{_inside(top, 'objects')}\n")
    if (shallow := _inside(top, "shallow")).exists():
        shutil.copyfile(shallow, target / ".git" / "shallow")
    git(target, "-c", "core.hooksPath=/dev/null", "checkout", "--quiet", "--detach", commit)
    if missing := git(target, "status", "--porcelain"):
        name = missing.splitlines()[0]
        raise RaceError(
            f"{commit[:12]} cannot be checked out whole ({name}): is it a partial clone?"
        )
    for path, (kind, own) in _tree(target, commit).items():
        if kind == "commit":
            _check_out_submodule(top / path, own, target / path)


def _check_out_submodule(place: Path, commit: str, target: Path) -> None:
    """Check a submodule out from the user's own, which is in a folder of the working tree."""
    if not (place / ".git").exists():
        raise RaceError(f"submodule {place.name} is not there: {FETCH}")
    try:
        git(place, "cat-file", "-e", f"{commit}^{{commit}}")
    except RaceError:
        raise RaceError(f"submodule {place.name} lacks commit {commit[:12]}: {FETCH}") from None
    _check_out(place, commit, target)


def _inside(top: Path, name: str) -> Path:
    """Return a file of git's own, which several worktrees may share."""
    return top / git(top, "rev-parse", "--git-path", name)


@contextmanager
def _own_place() -> Iterator[Path]:
    """Make a folder for the length of a `with`, locked for as long as this process lives."""
    place = Path(tempfile.mkdtemp(dir=_places()))
    try:
        with (place / LOCK).open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield place
    finally:
        shutil.rmtree(place, ignore_errors=True)


def _places() -> Path:
    found = var() / "checkouts"
    found.mkdir(parents=True, exist_ok=True)
    return found


def _remove_left() -> None:
    """Remove checkouts of harnesses that were killed: nobody holds their lock."""
    for path in _places().iterdir():
        with contextlib.suppress(OSError), (path / LOCK).open() as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
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
            timeout=TIMEOUTS.git,
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
