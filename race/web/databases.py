"""The databases of a race: held for its whole length, told apart in CPU accounting, pinned."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field

from data_interface import BACKENDS
from databases import private as embedded
from race.errors import RaceError
from race.machine import cores, listener, meters

URLS = {
    plugin.database: plugin.url for plugin in BACKENDS.values() if plugin.database and plugin.url
}
"""The environment variable that names an external database, by name."""


@dataclass
class Databases:
    """Holds on embedded databases, and main processes of external ones on this machine, by name."""

    handles: dict[str, embedded.Handle] = field(default_factory=dict)
    external: dict[str, int] = field(default_factory=dict)
    _affinity: dict[int, frozenset[int]] = field(default_factory=dict)

    def hold(self, names: Iterable[str]) -> None:
        """Keep these databases up until `release`; RaceError when one cannot run."""
        for name in sorted(set(names)):
            if name in self.handles:
                continue
            if url := os.environ.get(URLS[name]):
                pid = listener.pid_of(url)
                self.external.update({name: pid} if pid else {})
                continue
            try:
                self.handles[name] = embedded.join(name)
            except embedded.EmbeddedError as error:
                raise RaceError(str(error)) from None

    def release(self) -> None:
        """Give every hold up; what was pinned goes back to where it was."""
        cores.restore(self._affinity)
        self._affinity.clear()
        for handle in self.handles.values():
            handle.leave()
        self.handles.clear()

    def url(self, name: str) -> str | None:
        """Where a database listens; None when the race does not use it."""
        if name in self.handles:
            return self.handles[name].url
        return os.environ.get(URLS[name])

    def pid(self, name: str | None) -> int | None:
        """Main process of a database; None for one on another machine and while it is down."""
        if name is None or name not in self.handles:
            return self.external.get(name or "")
        try:
            return self.handles[name].pid
        except embedded.EmbeddedError:
            return None

    def pin(self, where: frozenset[int]) -> None:
        """Pin every database to its cores; again for each block, as a restarted one is not."""
        if not where:
            return
        for name in (*self.handles, *self.external):
            pid = self.pid(name)
            found = cores.pin_tree(meters.tree(pid) if pid else [], where)
            self._affinity = {**found, **self._affinity}
