"""The state of each contender: a database of its own, or what the user's commands make."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from race.app.commits.checkouts import Checkout
from race.app.contenders import checkout, prepare, word
from race.app.database.process import DatabaseProcess, Instance
from race.app.scenario import DATABASE_PARTS, ROUND, WORD, AppScenario
from race.errors import CellFailed, RaceError, instead
from race.machine.pins import since
from race.saved.model import Contender


def missing(kind: str) -> str | None:
    """Return why there can be no private database of a kind, and what to do; None if there can."""
    try:
        from databases import DATABASES, find
    except ImportError:
        return f"no private {kind}: this installation of race has no databases"
    served = [name for name in DATABASES if find(name).start_on_tcp is not None]
    if kind not in served:
        return f"there is no database {kind!r} for an application: {instead(kind, served)}"
    return find(kind).missing()


@dataclass
class State:
    """The databases of a race by contender's label, each from a template.

    Contenders share a template if they are of one commit and one command prepares them.
    """

    scenario: AppScenario
    process: DatabaseProcess | None
    _names: dict[tuple[Checkout, str], str] = field(default_factory=dict)
    _templates: dict[str, Instance] = field(default_factory=dict)
    _instances: dict[str, Instance] = field(default_factory=dict)
    _numbers: dict[str, int] = field(default_factory=dict)

    def template(self, contender: Contender) -> tuple[str, Mapping[str, str]]:
        """Return the name of what is prepared for a contender, and what stands for it in commands:
        the contender's own word, or what leads to its template, which runs until `made`.
        """
        if self.process is None:
            return word(contender), {WORD: word(contender)}
        name = self._name(contender)
        if name not in self._templates:
            self._templates[name] = self.process.start(name)
        return name, values(self._templates[name])

    def made(self) -> None:
        """End the templates: all that prepares them has run."""
        if self.process is not None:
            for name in self._templates:
                self.process.stop(name)

    def begin(self, contender: Contender) -> Mapping[str, str]:
        """Return what stands in the commands that reset and serve a contender. Its database is as
        it was prepared where it is new or to be reset. CellFailed if it does not start.
        """
        own = {WORD: word(contender)}
        if self.process is None:
            return own
        label = contender.label
        if self.pid(contender) is None or self.scenario.reset == ROUND:
            number = self._numbers.setdefault(label, len(self._numbers))
            try:
                self._instances[label] = self.process.start(f"c{number}", self._name(contender))
            except RaceError as error:
                raise CellFailed(str(error)) from None
        return {**own, **values(self._instances[label])}

    def _name(self, contender: Contender) -> str:
        """Return the name of a template, which is short because a socket's path may not be long."""
        key = checkout(self.scenario, contender), repr(prepare(self.scenario, contender))
        return self._names.setdefault(key, f"t{len(self._names)}")

    def forget(self) -> None:
        """Make every database as it was prepared when its contender starts next."""
        self._instances.clear()

    def pid(self, contender: Contender) -> int | None:
        """Return the main process of a contender's database; None without one, or if it died."""
        known = self._instances.get(contender.label)
        return known.pid if known and since(known.pid) is not None else None


def values(instance: Instance) -> dict[str, str]:
    """Return a database's URL and the parts of it, by what stands for them in a command."""
    at = urlsplit(instance.url)
    name = at.path.lstrip("/")
    texts = (instance.url, at.hostname, str(at.port), at.username, at.password, name)
    found = zip(DATABASE_PARTS, texts, strict=True)
    return {f"database_{part}": text or "" for part, text in found}


@contextmanager
def opened(scenario: AppScenario) -> Iterator[State]:
    """Hold the databases of a race for the length of a `with`, if it has any."""
    if not scenario.database:
        yield State(scenario, None)
        return
    process = DatabaseProcess(scenario.database)
    try:
        yield State(scenario, process)
    finally:
        process.close()
