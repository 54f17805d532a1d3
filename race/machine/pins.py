"""Pins processes that ran before the race, such as a user's database, and restores them after it.

Processes that they start meanwhile, such as one for each connection, inherit our pins and get the
cores that their main process had before. The cores of before are noted on disk before anything is
changed, so that the next `race` command restores them if a race was killed.
"""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Iterator
from pathlib import Path

import msgspec
from msgspec import Struct

from race.errors import NotSaved
from race.machine.proc import read, tree
from runtime.files import write_atomically
from runtime.paths import var

FOLDER = "pins"
BOOT = Path("/proc/sys/kernel/random/boot_id")
PASSES = 2
"""The second pass finds processes that were started during the first by one still pinned."""


class Pinned(Struct):
    """A pinned main process, started `since` ticks after the boot.

    `masks` has the cores that its threads and its descendants' had, by thread; `ours` has the sets
    of cores that were set in their place.
    """

    pid: int
    since: int
    masks: dict[int, list[int]] = {}
    ours: list[list[int]] = []

    def lives(self) -> bool:
        """Return whether it is still the same process."""
        return since(self.pid) == self.since

    def note(self, cores: list[int]) -> bool:
        """Note the cores that we have not set ourselves; return whether the note has changed."""
        found = {thread: mask for thread, mask in masks(self.pid) if mask not in self.ours}
        known = found.items() <= self.masks.items() and cores in self.ours
        self.masks |= found
        if cores not in self.ours:
            self.ours.append(cores)
        return not known

    def restore(self) -> bool:
        """Restore the cores that we have set; return False if that is not allowed."""
        allowed = True
        for _ in range(PASSES):
            for thread, mask in masks(self.pid) if self.lives() else ():
                before = self.masks.get(thread) or self.masks.get(self.pid)
                if mask in self.ours and before and mask != before:
                    allowed &= pin(thread, before)
        return allowed


class Note(Struct):
    """The saved note of a harness: the processes that it has pinned, in which boot."""

    boot: str
    harness: int
    since: int
    processes: list[Pinned] = []

    def left(self) -> bool:
        """Return whether the harness is gone that would restore them."""
        return self.boot != boot() or since(self.harness) != self.since


class Pins:
    """The pins of one race."""

    def __init__(self) -> None:
        self._note = Note(boot(), os.getpid(), since(os.getpid()) or 0)
        self._name = f"{os.getpid()}-{secrets.token_hex(4)}.json"

    def pin(self, pid: int | None, cores: frozenset[int]) -> None:
        """Pin every thread of a process and its descendants; do nothing without cores or process.

        Raises NotSaved, with nothing changed, if their cores cannot be noted.
        """
        began = since(pid) if pid is not None and cores else None
        if pid is None or began is None:
            return
        known = (one for one in self._note.processes if (one.pid, one.since) == (pid, began))
        main = next(known, None)
        if main is None:
            main = Pinned(pid, began)
            self._note.processes.append(main)
        if main.note(sorted(cores)):
            self._save()
        for thread, mask in masks(pid):
            if mask != sorted(cores):
                pin(thread, sorted(cores))

    def release(self) -> None:
        """Restore the cores of all pinned processes."""
        for main in self._note.processes:
            main.restore()
        self._note.processes.clear()
        with contextlib.suppress(OSError):
            (folder() / self._name).unlink()

    def _save(self) -> None:
        path = folder() / self._name
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_atomically(path, msgspec.json.encode(self._note))
        except OSError as error:
            raise NotSaved(f"cannot note what is pinned in {path}: {error.strerror}") from None


def restore_left() -> None:
    """Restore what races that were killed have left pinned."""
    for path in folder().glob("*.json"):
        with contextlib.suppress(OSError):
            try:
                note = msgspec.json.decode(path.read_bytes(), type=Note)
            except msgspec.DecodeError:  # of another version
                path.unlink()
                continue
            if not note.left():
                continue
            here = note.processes if note.boot == boot() else []
            refused = [one.pid for one in here if not one.restore()]
            if not refused:  # else another user's next command tries again
                path.unlink()


def folder() -> Path:
    """Return the folder of the notes."""
    return var() / FOLDER


def boot() -> str:
    """Return the id of the current boot."""
    try:
        return BOOT.read_text().strip()
    except OSError:
        return ""


def since(pid: int) -> int | None:
    """Return when a process began, in ticks after the boot; None if it has ended."""
    fields = read(pid, "stat").rpartition(")")[2].split()
    return int(fields[19]) if len(fields) > 19 and fields[0] not in "ZX" else None


def masks(pid: int) -> Iterator[tuple[int, list[int]]]:
    """Yield the cores of every thread of a process and its descendants, the main one first."""
    for one in tree(pid):
        try:
            threads = [int(name) for name in os.listdir(f"/proc/{one}/task")]
        except OSError:  # ended meanwhile
            continue
        for thread in threads:
            with contextlib.suppress(OSError):
                yield thread, sorted(os.sched_getaffinity(thread))


def pin(thread: int, cores: list[int]) -> bool:
    """Pin a thread; return False if that is not allowed. One that has ended is no failure."""
    try:
        os.sched_setaffinity(thread, cores)
    except PermissionError:
        return False
    except OSError:
        return True
    return True
