"""Once a second, what server and database did: CPU, connections, and what the server says itself.

The lines are the contract with the locustfile, which imports nothing of ours: see docs/locust.md.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from race.machine.proc import cpu_ns, tree
from race.web.locust.sockets import open_to
from runtime.address import Address

EVERY_SECONDS = 1.0

Counts = Mapping[str, float]


@dataclass
class Sampler:
    """Writes a line to ``path``, when one is due.

    ``server`` and ``database`` are main processes, None where there is none to see; ``where`` the
    server finds its database; ``figures`` is the folder of the server's own counts
    (``SITE_FIGURES``).
    """

    path: Path
    server: int | None
    database: int | None
    where: Address | None
    figures: Path
    _due: float = 0.0
    _cpu_before: dict[int, tuple[int, int]] = field(default_factory=dict)
    _counts_before: dict[str, Counts] = field(default_factory=dict)

    def look(self) -> None:
        """Write a line, once a second."""
        now = time.monotonic()
        if now < self._due:
            return
        self._due = now + EVERY_SECONDS
        line = json.dumps(self._sample()).encode() + b"\n"
        with suppress(OSError):  # a full disk costs a sample, not the run
            append(self.path, line)

    def _sample(self) -> dict[str, float | None]:
        pages, requests = self._passed("pages"), self._passed("requests")
        waiting = own_counts(self.figures, "waiting")
        return {
            "time": time.time(),
            "server_cpu": self._cpu(self.server),
            "database_cpu": self._cpu(self.database),
            "connections": self._connections(),
            "waiting": sum(waiting.values()) if waiting else None,
            "requests_per_page": requests / pages if requests is not None and pages else None,
        }

    def _connections(self) -> int | None:
        """What the server has open to its database, not what others have."""
        if self.server is None or self.where is None:
            return None
        return open_to(self.where, tree(self.server))

    def _cpu(self, pid: int | None) -> float | None:
        """Cores that a process and all below it used since the line before; None at first."""
        if pid is None:
            return None
        # Those that ended are in the time of whoever waited for them.
        now, used = time.monotonic_ns(), sum(cpu_ns(one) for one in tree(pid))
        before = self._cpu_before.get(pid)
        self._cpu_before[pid] = now, used
        return max(0, used - before[1]) / (now - before[0]) if before else None

    def _passed(self, name: str) -> float | None:
        """What the server counted since the line before; None where that is not known."""
        counts = own_counts(self.figures, name)
        before = self._counts_before.get(name)
        self._counts_before[name] = counts
        if before is None or not counts:
            return None
        return sum(count - before.get(one, 0.0) for one, count in counts.items())


def append(path: Path, line: bytes) -> None:
    """A whole line; OSError, and nothing of it, where it does not fit."""
    with path.open("ab", buffering=0) as file:
        end = file.seek(0, os.SEEK_END)
        try:
            while line:
                line = line[file.write(line) :]
        except OSError:
            file.truncate(end)
            raise


def own_counts(folder: Path, name: str) -> dict[str, float]:
    """A count of each process of the server, by its id; of those that are still alive."""
    found = {}
    for path in folder.glob("*.json"):
        if Path(f"/proc/{path.stem}").exists():
            found[path.stem] = float(json.loads(path.read_text())[name])
    return found
