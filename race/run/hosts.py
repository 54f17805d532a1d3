"""The subjects of a race: each is started when first needed and kept, one is active at a time."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from race.discipline import Start, Subject
from race.errors import CellFailed
from race.saved.model import Contender


@dataclass
class Host:
    """A contender's subject; `fresh` until it has been driven."""

    subject: Subject
    fresh: bool = True


@dataclass
class Hosts:
    """The running subjects by label. All but the active one are paused, off the measured cores."""

    start: Start
    _hosts: dict[str, Host] = field(default_factory=dict)
    _refusals: dict[str, str] = field(default_factory=dict)
    _active: str | None = None

    def close(self) -> None:
        """End all subjects; one that is needed again is started again."""
        hosts, self._hosts, self._active = self._hosts, {}, None
        _close(host.subject for host in hosts.values())

    def clear_refusals(self) -> None:
        """Forget which contenders did not start, so that they are tried again."""
        self._refusals.clear()

    def activate(self, contender: Contender) -> Host:
        """Return a contender's living subject, alone on its cores.

        Raises CellFailed when it does not start, or did not since refusals were cleared.
        """
        label = contender.label
        if label in self._refusals:
            raise CellFailed(self._refusals[label])
        if self._active not in (None, label):
            self._pause()
        host = self._hosts.get(label)
        if host is not None and not host.subject.alive():
            self._hosts.pop(label).subject.close()
            host = None
        if host is None:
            host = self._hosts[label] = self._started(contender)
        elif self._active != label:
            host.subject.resume()
        self._active = label
        return host

    def _pause(self) -> None:
        host, self._active = self._hosts.get(self._active or ""), None
        if host is not None:
            host.subject.pause()

    def _started(self, contender: Contender) -> Host:
        self._active = None
        try:
            return Host(self.start(contender))
        except CellFailed as failure:
            self._refusals[contender.label] = str(failure)
            raise


def _close(subjects: Iterable[Subject]) -> None:
    """End all subjects, also when ending one fails or is interrupted."""
    waiting = list(subjects)
    try:
        while waiting:
            waiting.pop().close()
    finally:
        for left in waiting:
            left.close()
