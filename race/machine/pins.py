"""The cores of processes that were there before us: pinned for a race, given back after it.

Whoever they start meanwhile inherits our pins (a process for each connection), and gets back what
its main process had. What was there before is on the disk before anything is changed, so that the
next command gives it back where a race was killed.
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
from race.paths import var
from runtime.files import write_atomically

FOLDER = "pins"
BOOT = Path("/proc/sys/kernel/random/boot_id")
PASSES = 2
"""Somebody may be started by one that is still pinned."""


class Pinned(Struct):
    """A main process: `since` when it runs (ticks after the boot), `masks` what its threads and
    those of its descendants had, by thread, `ours` what was set in their place.
    """

    pid: int
    since: int
    masks: dict[int, list[int]] = {}
    ours: list[list[int]] = []

    def lives(self) -> bool:
        """Whether it is still the same process."""
        return since(self.pid) == self.since

    def note(self, cores: list[int]) -> bool:
        """What is not of our making is what they get back; whether anything of this is new."""
        found = {thread: mask for thread, mask in masks(self.pid) if mask not in self.ours}
        known = found.items() <= self.masks.items() and cores in self.ours
        self.masks |= found
        if cores not in self.ours:
            self.ours.append(cores)
        return not known

    def give_back(self) -> bool:
        """False where that is not allowed. What somebody else has set meanwhile stays."""
        allowed = True
        for _ in range(PASSES):
            for thread, mask in masks(self.pid) if self.lives() else ():
                before = self.masks.get(thread) or self.masks.get(self.pid)
                if mask in self.ours and before and mask != before:
                    allowed &= pin(thread, before)
        return allowed


class Note(Struct):
    """What a harness has pinned, since which boot of the machine."""

    boot: str
    harness: int
    since: int
    processes: list[Pinned] = []

    def left(self) -> bool:
        """Whether nobody is there any more who would give it back."""
        return self.boot != boot() or since(self.harness) != self.since


class Pins:
    """Of one race."""

    def __init__(self) -> None:
        self._note = Note(boot(), os.getpid(), since(os.getpid()) or 0)
        self._name = f"{os.getpid()}-{secrets.token_hex(4)}.json"

    def pin(self, pid: int | None, cores: frozenset[int]) -> None:
        """Every thread of a process and its descendants; NotSaved, with nothing changed, where
        what they had cannot be noted. Nothing without cores, or where nobody is.
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
        """Give back what they had."""
        for main in self._note.processes:
            main.give_back()
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


def give_back_left() -> None:
    """What was pinned for races that were killed."""
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
            refused = [one.pid for one in here if not one.give_back()]
            if not refused:  # else somebody who may is asked for it later
                path.unlink()


def folder() -> Path:
    """Where notes are."""
    return var() / FOLDER


def boot() -> str:
    """Which run of this machine's kernel."""
    try:
        return BOOT.read_text().strip()
    except OSError:
        return ""


def since(pid: int) -> int | None:
    """When a process began, in ticks after the boot; None when it is gone."""
    fields = read(pid, "stat").rpartition(")")[2].split()
    return int(fields[19]) if len(fields) > 19 and fields[0] not in "ZX" else None


def masks(pid: int) -> Iterator[tuple[int, list[int]]]:
    """The cores of every thread of a process and its descendants, the main one first."""
    for one in tree(pid):
        try:
            threads = [int(name) for name in os.listdir(f"/proc/{one}/task")]
        except OSError:  # ended meanwhile
            continue
        for thread in threads:
            with contextlib.suppress(OSError):
                yield thread, sorted(os.sched_getaffinity(thread))


def pin(thread: int, cores: list[int]) -> bool:
    """False where that is not allowed; who ended meanwhile needs nothing."""
    try:
        os.sched_setaffinity(thread, cores)
    except PermissionError:
        return False
    except OSError:
        return True
    return True
