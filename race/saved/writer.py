"""Saving a race as it happens: run.json as a whole, one line of cells.jsonl for each cell."""

from __future__ import annotations

import os
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec

from race.errors import NotSaved
from race.saved.model import Cell, Head
from race.saved.reader import CELLS_FILE, RUN_FILE


class Writer:
    """The open results folder of one race. A cell is on disk before the next one starts."""

    def __init__(self, folder: Path, head: Head) -> None:
        self.folder = folder
        self.head = head
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._cells = (folder / CELLS_FILE).open("ab", buffering=0)
        except OSError as error:
            raise self._refused(error) from None
        try:
            self._drop_torn_line()
            self._write_head()
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
        self._cells.close()

    def add(self, cell: Cell) -> None:
        """Append one line and flush it; NotSaved, with the line taken back, on a full disk."""
        line = msgspec.json.encode(cell) + b"\n"
        end = self._cells.seek(0, os.SEEK_END)
        try:
            while line:  # a disk that takes only a part says why when asked again
                line = line[self._cells.write(line) :]
            os.fsync(self._cells.fileno())
        except OSError as error:
            self._cells.truncate(end)
            raise self._refused(error) from None

    def finish(self, moment: str) -> None:
        """Mark the race as complete."""
        self._change(finished_at=moment)

    def _change(self, **changes: Any) -> None:
        self.head = msgspec.structs.replace(self.head, **changes)
        self._write_head()

    def _write_head(self) -> None:
        path = self.folder / RUN_FILE
        fresh = path.with_suffix(".tmp")
        try:
            fresh.write_bytes(msgspec.json.format(msgspec.json.encode(self.head), indent=1) + b"\n")
            fresh.replace(path)
        except OSError as error:
            fresh.unlink(missing_ok=True)
            raise self._refused(error) from None

    def _drop_torn_line(self) -> None:
        """A line without an end is what a crash left of a cell; the cell is run again."""
        path = self.folder / CELLS_FILE
        content = path.read_bytes()
        if content and not content.endswith(b"\n"):
            os.truncate(path, content.rfind(b"\n") + 1)

    def _refused(self, error: OSError) -> NotSaved:
        return NotSaved(f"cannot save results in {self.folder}: {error.strerror}")
