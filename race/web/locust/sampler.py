"""Samples a server and its database once a second: CPU, connections and the server's own counts.

The lines are the contract with the locustfile, which imports nothing of ours (docs/locust.md).
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from race.load.generator import WatchedProcesses
from race.machine.proc import cpu_ns, tree
from race.machine.sockets import open_to

EVERY_SECONDS = 1.0


@dataclass
class Sampler:
    """Appends a line to `path` when one is due.

    `figures` is the folder of the server's own counts (SITE_FIGURES).
    """

    path: Path
    watched: WatchedProcesses
    figures: Path
    _due: float = 0.0
    _cpu_before: dict[int, tuple[int, int]] = field(default_factory=dict)
    _counts_before: dict[str, Mapping[str, float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.path.touch()

    def sample_when_due(self) -> None:
        """Write a line if the last one is a second old."""
        now = time.monotonic()
        if now < self._due:
            return
        self._due = now + EVERY_SECONDS
        line = json.dumps(self._sample()).encode() + b"\n"
        with suppress(OSError):  # a full disk costs a sample, not the run
            append(self.path, line)

    def _sample(self) -> dict[str, float | None]:
        pages, requests = self._counted_since("pages"), self._counted_since("requests")
        waiting = own_counts(self.figures, "waiting")
        return {
            "time": time.time(),
            "server_cpu": self._cpu(self.watched.server),
            "database_cpu": self._cpu(self.watched.database),
            "connections": self._connections(),
            "waiting": sum(waiting.values()) if waiting else None,
            "requests_per_page": requests / pages if requests is not None and pages else None,
        }

    def _connections(self) -> int | None:
        """Return how many connections the server has open to its database."""
        server, address = self.watched.server, self.watched.address
        if server is None or address is None:
            return None
        return open_to(address, tree(server))

    def _cpu(self, pid: int | None) -> float | None:
        """Return the cores that a process tree used since the last line; None at first."""
        if pid is None:
            return None
        # The time of processes that ended is in that of the one that waited for them.
        now, used = time.monotonic_ns(), sum(cpu_ns(one) for one in tree(pid))
        before = self._cpu_before.get(pid)
        self._cpu_before[pid] = now, used
        return max(0, used - before[1]) / (now - before[0]) if before else None

    def _counted_since(self, name: str) -> float | None:
        """Return what the server counted since the last line; None if that is not known."""
        counts = own_counts(self.figures, name)
        before = self._counts_before.get(name)
        self._counts_before[name] = counts
        if before is None or not counts:
            return None
        return sum(count - before.get(one, 0.0) for one, count in counts.items())


def append(path: Path, line: bytes) -> None:
    """Append a whole line. Raises OSError, and appends nothing, if it does not fit."""
    with path.open("ab", buffering=0) as file:
        end = file.seek(0, os.SEEK_END)
        try:
            while line:
                line = line[file.write(line) :]
        except OSError:
            file.truncate(end)
            raise


def own_counts(folder: Path, name: str) -> dict[str, float]:
    """Return a count of each living process of the server, by its id."""
    found = {}
    for path in folder.glob("*.json"):
        if Path(f"/proc/{path.stem}").exists():
            found[path.stem] = float(json.loads(path.read_text())[name])
    return found
