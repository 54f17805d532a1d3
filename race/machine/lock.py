"""Reads the state of the GIL in the processes of a server, under load."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from runtime.lock import EVERY_SECONDS, VARIABLE

LATE = 5
"""A saturated process may write so many times later than it should."""

WAIT_SECONDS = 2.0
"""A process that is later still is waited for so long: more threads than cores may delay it."""


@dataclass(frozen=True)
class LockFolder:
    """The folder in which a server's processes write the state of their GIL."""

    _folder: TemporaryDirectory[str] = field(
        default_factory=lambda: TemporaryDirectory(prefix="race-lock-")
    )

    @property
    def env(self) -> Mapping[str, str]:
        """Return what a server's environment needs to tell the state of its GIL."""
        return {VARIABLE: self._folder.name}

    def problems(self, pids: Iterable[int], workers: int, now: float) -> tuple[str, ...]:
        """Return what is wrong at the end of a load: the GIL is enabled again, which holds for the
        rest of a process's life, or its state is not known in every worker. `now`, the end, is in
        the time of files. A GIL that is off later was off under load too.
        """
        pids = list(pids)
        until = time.monotonic() + WAIT_SECONDS
        states = list(self._states(pids, now))
        while len(states) < workers and time.monotonic() < until:
            time.sleep(EVERY_SECONDS)
            states = list(self._states(pids, now))
        causes = sorted({state["by"] or "an unknown module" for state in states if state["taken"]})
        taken = sum(state["taken"] for state in states)
        found = []
        if causes:
            where = f"{taken} of {len(states)} processes"
            found.append(f"the GIL was enabled again in {where}, by {', '.join(causes)}")
        if len(states) < workers:
            known = f"{len(states)} of {workers} processes"
            found.append(f"the state of the GIL is known of {known} only")
        return tuple(found)

    def close(self) -> None:
        """Remove the folder."""
        self._folder.cleanup()

    def _states(self, pids: Iterable[int], now: float) -> Iterator[dict[str, Any]]:
        """Yield what each process has written lately; a supervisor writes nothing."""
        for pid in pids:
            path = Path(self._folder.name, f"{pid}.json")
            try:
                if path.stat().st_mtime >= now - LATE * EVERY_SECONDS:
                    yield json.loads(path.read_bytes())
            except OSError:
                continue
