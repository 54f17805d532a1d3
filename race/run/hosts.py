"""The subjects of a race: started when first needed, kept to its end, one at work at a time."""

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
    """Who is not at work rests: alive, off the measured cores."""

    start: Start
    _hosts: dict[str, Host] = field(default_factory=dict)
    _refusals: dict[str, str] = field(default_factory=dict)
    _at_work: str | None = None

    def close(self) -> None:
        """End all of them; who is needed again is started again."""
        hosts, self._hosts, self._at_work = self._hosts, {}, None
        _close(host.subject for host in hosts.values())

    def forgive(self) -> None:
        """Try again with those that did not start."""
        self._refusals.clear()

    def at_work(self, contender: Contender) -> Host:
        """A living subject, alone on its cores; CellFailed when it does not start."""
        label = contender.label
        if label in self._refusals:
            raise CellFailed(self._refusals[label])
        if self._at_work not in (None, label):
            self._rest()
        host = self._hosts.get(label)
        if host is not None and not host.subject.alive():
            self._hosts.pop(label).subject.close()
            host = None
        if host is None:
            host = self._hosts[label] = self._started(contender)
        elif self._at_work != label:
            host.subject.wake()
        self._at_work = label
        return host

    def _rest(self) -> None:
        host, self._at_work = self._hosts.get(self._at_work or ""), None
        if host is not None:
            host.subject.rest()

    def _started(self, contender: Contender) -> Host:
        self._at_work = None
        try:
            return Host(self.start(contender))
        except CellFailed as failure:
            self._refusals[contender.label] = str(failure)
            raise


def _close(subjects: Iterable[Subject]) -> None:
    """End all of them, also when ending one fails or is interrupted."""
    waiting = list(subjects)
    try:
        while waiting:
            waiting.pop().close()
    finally:
        for left in waiting:
            left.close()
