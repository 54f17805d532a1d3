"""Folders that keep what a build installed from one race to the next.

A commit is checked out anew for every race, and `build` always runs: it may compile the commit's
own source. What it installs depends on the lock files, so a checkout has a folder of its own for
each content of these, with the environment that the last race left there. The path stays the same,
because environments, and editable installations in them, name it. For that reason two commits of
one race never share an environment, even where their locks are equal.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import shutil
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from fnmatch import fnmatchcase
from itertools import count
from pathlib import Path, PurePath
from typing import IO

from runtime.paths import var

LOCKS = (
    *("uv.lock", "poetry.lock", "pdm.lock", "Pipfile.lock", "requirements*.txt"),
    *("package-lock.json", "yarn.lock", "pnpm-lock.yaml", "go.sum", "Cargo.lock"),
)
ENVIRONMENTS = (".venv", "venv", "node_modules", "target")
"""The folders that are kept, in the application's folder and at the top of its repository."""
PROGRAMS = ("python3", "node", "cargo")
MOST, LONGEST_S = 8, 30 * 86400.0
"""At most so many folders are kept, and none longer than this after its last race."""
LOCK, BUILT, CHECKOUT, KEPT = "lock", "built", "checkout", "kept"


def key(top: Path, build: str, locks: Iterable[tuple[str, str]]) -> str | None:
    """Return what an environment depends on, in short; `locks` are paths with the hashes of their
    contents. None without a build or a lock: then nothing may be kept.
    """
    found = sorted(locks)
    if not (build and found):
        return None
    programs = [os.path.realpath(shutil.which(one) or one) for one in PROGRAMS]
    text = repr((str(top), build, found, programs))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def is_lock(path: PurePath, inner: PurePath, patterns: Sequence[str]) -> bool:
    """Return whether a file of a repository is a lock of the application in the folder `inner`:
    one in that folder or at the top by default, else one that a pattern fits in that folder.
    """
    if not patterns:
        beside = path.parent in (inner, PurePath())
        return beside and any(fnmatchcase(path.name, one) for one in LOCKS)
    within = path.relative_to(inner) if path.is_relative_to(inner) else None
    return within is not None and any(fnmatchcase(str(within), one) for one in patterns)


@contextmanager
def slot(key: str, inner: PurePath) -> Iterator[Path]:
    """Hold a folder for a checkout, with what the last race of this key installed there in the
    application's folder `inner`. Gives the path of the checkout; once it is there, `restore` it.
    """
    place, lock = _free(key)
    with lock:
        lock.truncate(0)
        lock.write(str(inner))
        lock.flush()
        try:
            _put_away(place)
            yield place / CHECKOUT
        finally:
            _put_away(place)


def _free(key: str) -> tuple[Path, IO[str]]:
    """Return the first folder of a key that nobody holds, and its lock."""
    for number in count():
        place = _places() / f"{key}-{number}"
        place.mkdir(parents=True, exist_ok=True)
        lock = (place / LOCK).open("a+")
        with contextlib.suppress(OSError):  # another commit of this race, or another race, has it
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.fstat(lock.fileno()).st_nlink:
                return place, lock
        lock.close()
    raise AssertionError


def restore(checkout: Path) -> None:
    """Move the environments back into a checkout, but for those that are part of the commit."""
    for kept in sorted((checkout.parent / KEPT).glob("*")):
        target = checkout / kept.name.replace("|", "/")
        if target.parent.is_dir() and not target.exists():
            kept.rename(target)


@contextmanager
def building(folder: Path) -> Iterator[None]:
    """Note that what is in a folder was installed whole, if it belongs to a kept environment."""
    place = next((one for one in folder.parents if one.parent == _places()), None)
    if place:
        (place / BUILT).unlink(missing_ok=True)
    yield
    if place:
        (place / BUILT).touch()


def tidy() -> None:
    """Put away what killed races left, and remove what is old or too much."""
    known = sorted(_places().glob("*"), key=lambda one: -one.stat().st_mtime)
    for number, place in enumerate(known):
        with contextlib.suppress(OSError), (place / LOCK).open() as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            old = time.time() - place.stat().st_mtime > LONGEST_S
            if old or number >= MOST:
                shutil.rmtree(place, ignore_errors=True)
            elif (place / CHECKOUT).exists():
                _put_away(place)


def _put_away(place: Path) -> None:
    """Keep the environments of a checkout and remove all else; remove those that are not whole."""
    checkout, kept = place / CHECKOUT, place / KEPT
    if not (place / BUILT).exists():
        shutil.rmtree(kept, ignore_errors=True)
    elif checkout.exists():
        kept.mkdir(exist_ok=True)
        for found in _environments(checkout):
            target = kept / str(found.relative_to(checkout)).replace("/", "|")
            shutil.rmtree(target, ignore_errors=True)
            found.rename(target)
    shutil.rmtree(checkout, ignore_errors=True)
    os.utime(place)


def _environments(checkout: Path) -> list[Path]:
    """Return the folders of a checkout that are kept: at its top, and in the application's."""
    inner = (checkout.parent / LOCK).read_text()
    tops = dict.fromkeys([checkout, checkout / inner])
    found = (top / name for top in tops for name in ENVIRONMENTS)
    return [one for one in found if one.is_dir() and not one.is_symlink()]


def _places() -> Path:
    return var() / "environments"
