"""Saving a race as it happens: run.json as a whole, one line of cells.jsonl for each cell."""

from __future__ import annotations

import fcntl
import os
import time
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec

from race.errors import NotSaved, RaceError
from race.saved.files import make_folder, reserve
from race.saved.head import Head
from race.saved.model import Cell
from race.saved.reader import CELLS_FILE, RUN_FILE, read_head
from race.timeouts import TIMEOUTS
from runtime.files import write_atomically

PROBE_SECONDS = 0.05
ROOM_BYTES = 1 << 18
"""More than the line of a cell takes. It is reserved before a cell is measured."""


class Writer:
    """The open results folder of one race, locked against other harnesses.

    A cell is on disk before the next one starts. Raises RaceError if another harness has the
    folder open, or wrote into it since `head` was read.
    """

    def __init__(self, folder: Path, head: Head) -> None:
        self.folder = folder
        self.head = head
        try:
            make_folder(folder)
            # A folder that came from elsewhere may have a link there.
            flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW
            self._cells = os.fdopen(os.open(folder / CELLS_FILE, flags, 0o666), "ab", buffering=0)
        except OSError as error:
            raise self._refused(error) from None
        try:
            self._lock()
            self._check_same()
            self._drop_torn_line()
            self._write_head()
            self._make_room()
        except BaseException:
            self._cells.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._give_room_back()
        self._cells.close()

    def add(self, cell: Cell) -> None:
        """Append one line and flush it.

        Raises NotSaved on a full disk, without a part of the line left behind, and also if the next
        cell would not fit: measuring it would be in vain.
        """
        line = msgspec.json.encode(cell) + b"\n"
        end = self._cells.seek(0, os.SEEK_END)
        try:
            while line:  # a disk that takes only a part says why when asked again
                line = line[self._cells.write(line) :]
            os.fsync(self._cells.fileno())
        except OSError as error:
            with suppress(OSError):  # else it is a torn line, which is dropped later
                self._cells.truncate(end)
            raise self._refused(error) from None
        self._make_room()

    def finish(self, moment: str) -> None:
        """Mark the race as complete."""
        self._give_room_back()
        self._change(finished_at=moment)

    def _change(self, **changes: Any) -> None:
        self.head = msgspec.structs.replace(self.head, **changes)
        self._write_head()

    def _write_head(self) -> None:
        content = msgspec.json.format(msgspec.json.encode(self.head), indent=1) + b"\n"
        try:
            write_atomically(self.folder / RUN_FILE, content, follow=False)
        except OSError as error:
            raise self._refused(error) from None

    def _make_room(self) -> None:
        try:
            reserve(self._cells.fileno(), ROOM_BYTES)
        except OSError as error:
            raise self._refused(error) from None

    def _give_room_back(self) -> None:
        with suppress(OSError):
            self._cells.truncate(self._cells.seek(0, os.SEEK_END))

    def _lock(self) -> None:
        """Lock the file of cells; the kernel drops the lock with the process, however that ends."""
        deadline = time.monotonic() + TIMEOUTS.results_lock
        while True:
            try:
                fcntl.flock(self._cells, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() > deadline:
                    who = holder(self._cells.fileno())
                    raise RaceError(
                        f"{self.folder.name} is run by another harness{who}: wait for its end"
                    ) from None
                time.sleep(PROBE_SECONDS)
            except OSError as error:
                raise self._refused(error) from None
            else:
                return

    def _check_same(self) -> None:
        """Refuse the folder of another race: two that begin in one second choose the same name."""
        if not (self.folder / RUN_FILE).exists():
            return
        there = read_head(self.folder)
        if there.finished_at:
            raise RaceError(f"{there.race} is finished: see it with `race report {there.race}`")
        if (there.seed, there.started_at) != (self.head.seed, self.head.started_at):
            raise RaceError(f"{self.folder} has another race of that name: try again")

    def _drop_torn_line(self) -> None:
        """Drop a line without an end, which a crash left of a cell; the cell is run again."""
        path = self.folder / CELLS_FILE
        try:
            content = path.read_bytes()
            if content and not content.endswith(b"\n"):
                os.truncate(path, content.rfind(b"\n") + 1)
        except OSError as error:
            raise self._refused(error) from None

    def _refused(self, error: OSError) -> NotSaved:
        return NotSaved(f"cannot save results in {self.folder}: {error.strerror}")


def holder(descriptor: int) -> str:
    """Return who has locked a file, as " (process 12)", or "" if the kernel does not show it."""
    inode = str(os.fstat(descriptor).st_ino)
    try:
        lines = Path("/proc/locks").read_text().splitlines()
    except OSError:
        return ""
    for words in map(str.split, lines):
        # "1: FLOCK  ADVISORY  WRITE 708 00:13:1138 0 EOF"
        if words[1] == "FLOCK" and words[5].rpartition(":")[2] == inode:
            return f" (process {words[4]})"
    return ""
