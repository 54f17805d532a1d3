"""Engine names, which are parsed and not listed. Any interpreter can import this module."""

from __future__ import annotations

from typing import Dict, List, NamedTuple, Tuple

from data_interface import ALL, BACKENDS, Backend
from handlers import LOOPS, WEB
from handlers.render import RENDERERS
from runtime.arguments import did_you_mean
from runtime.plugin import Plugin

PLAIN_LOOP = next(iter(LOOPS))
FORM = "<web>-<backend>-<connection>[-{}]".format("|".join(list(LOOPS)[1:]))


class EngineError(Exception):
    """The name is no engine; the message says why in one line."""


class Engine(NamedTuple):
    """A web framework, a backend, a connection mode and an event loop that go together."""

    web: str
    backend: str
    connection: str
    loop: str

    @property
    def name(self) -> str:
        """``<web>-<backend>-<connection>[-<loop>]``."""
        loop = () if self.loop == PLAIN_LOOP else (self.loop,)
        return "-".join((self.web, self.backend, self.connection, *loop))

    @property
    def factors(self) -> Dict[str, str]:
        """The level of each factor, in the order of ``levels``."""
        return {
            "web": self.web,
            "loop": self.loop,
            "backend": self.backend,
            "connection": self.connection,
        }

    @property
    def plugins(self) -> Tuple[Plugin, Backend, Plugin]:
        """The registry entries of the web framework, the backend and the loop."""
        return WEB[self.web], BACKENDS[self.backend], LOOPS[self.loop]

    @property
    def python(self) -> str:
        """The interpreters it runs on: "3.7" that one only, "3.10+" that and newer, "" any."""
        found = [plugin.python for plugin in self.plugins if plugin.python]
        # A single interpreter that one part needs is in the range of the others.
        exact = [python for python in found if not python.endswith("+")]
        return exact[0] if exact else max(found, key=_numbers, default="")

    @property
    def needs(self) -> Tuple[str, ...]:
        """The modules that it imports."""
        return tuple(need for plugin in self.plugins for need in plugin.needs)

    def suits(self, version: str) -> bool:
        """Return whether all its parts run on CPython ``version`` ("3.12" or "3.12.1")."""
        return all(plugin.suits(version) for plugin in self.plugins)


def levels() -> Dict[str, List[str]]:
    """Return every factor of a contender with its levels, plainest first.

    The factors after ``connection`` are not in an engine's name; those without levels are numbers.
    """
    return {
        "web": list(WEB),
        "loop": list(LOOPS),
        "backend": list(BACKENDS),
        "connection": list(ALL),
        "render": list(RENDERERS),
        "python": [],
        "workers": [],
    }


def every_engine() -> List[Engine]:
    """Return all combinations that make sense and that some interpreter can run."""
    engines = [
        Engine(web, backend, connection, loop)
        for web in WEB
        for backend, plugin in BACKENDS.items()
        for connection in plugin.connections
        for loop in LOOPS
    ]
    return [engine for engine in engines if not _conflicts(engine)]


def parse(name: str) -> Engine:
    """Return the engine of a name, in upper or lower case; raise EngineError if there is none."""
    parts = name.lower().split("-")
    loop = PLAIN_LOOP
    if parts[-1] in LOOPS and parts[-1] != PLAIN_LOOP:
        loop = parts.pop()
    if len(parts) != 3:
        near = _nearest(name) or "; see --list"
        raise EngineError(f"{name!r}: an engine is {FORM}{near}")
    web, backend, connection = parts
    _check(name, "web framework", web, list(WEB))
    _check(name, "backend", backend, list(BACKENDS))
    connections = BACKENDS[backend].connections
    if connection not in connections:
        known = ", ".join(connections)
        why = f"{backend} has the connection modes {known}, not {connection!r}"
        raise EngineError(f"{name!r}: {why}{_nearest(name)}")
    engine = Engine(web, backend, connection, loop)
    conflicts = _conflicts(engine)
    if conflicts:
        raise EngineError(f"{name!r}: no interpreter runs both: {'; '.join(conflicts)}")
    return engine


def beginning(name: str) -> List[Engine]:
    """Return the engines whose names begin with these parts ("aiohttp"); none for a full name."""
    given = name.lower()
    found = [engine for engine in every_engine() if f"{engine.name}-".startswith(f"{given}-")]
    return [] if any(engine.name == given for engine in found) else found


def spoken(python: str) -> str:
    """Return a range of interpreters in words: "3.7 only", "3.10 and newer"."""
    return f"{python[:-1]} and newer" if python.endswith("+") else f"{python} only"


def _conflicts(engine: Engine) -> List[str]:
    """Return the interpreters that each part needs, if no interpreter runs them all."""
    # Only a part for a single version can be out of the range of another: ranges have no end.
    if not engine.python or engine.python.endswith("+") or engine.suits(engine.python):
        return []
    names = (engine.web, engine.backend, engine.loop)
    return [
        f"{name} runs on CPython {spoken(plugin.python)}"
        for name, plugin in zip(names, engine.plugins)
        if plugin.python
    ]


def _check(name: str, what: str, given: str, known: List[str]) -> None:
    if given not in known:
        names = ", ".join(known)
        raise EngineError(f"{name!r}: there is no {what} {given!r}, only {names}{_nearest(name)}")


def _nearest(name: str) -> str:
    known = [*WEB, *(engine.name for engine in every_engine())]
    near = did_you_mean(name.lower(), known)
    return f"; {near}" if near else ""


def _numbers(python: str) -> Tuple[int, ...]:
    return tuple(int(part) for part in python.rstrip("+").split("."))
