"""Engine names, which are parsed and not listed. Any interpreter can import this module."""

from __future__ import annotations

from typing import Dict, List, NamedTuple, Optional, Tuple

from data_interface import ALL, BACKENDS, LOOP, THREADS, Backend
from handlers import LOOPS, OWN, SERVERS, WEB, WSGI, Server, Web
from handlers.render import RENDERERS
from runtime.arguments import did_you_mean
from runtime.plugin import Plugin
from runtime.versions import numbers

PLAIN_LOOP = next(iter(LOOPS))
FORM = "<web>[-<server>]-<backend>-<connection>[-{}]".format("|".join(list(LOOPS)[1:]))


class EngineError(Exception):
    """The name is no engine; the message says why in one line."""


class Engine(NamedTuple):
    """A web framework, its server, a backend, a connection mode and a loop that go together."""

    web: str
    server: str
    backend: str
    connection: str
    loop: str

    @property
    def name(self) -> str:
        """``<web>[-<server>]-<backend>-<connection>[-<loop>]``, without the plain levels."""
        return self._joined("" if self.server == plain_server(self.web) else self.server)

    @property
    def long_name(self) -> str:
        """The name with the server, also the plain one, but not a framework's own."""
        return self._joined("" if self.server == OWN else self.server)

    def _joined(self, server: str) -> str:
        loop = "" if self.loop == PLAIN_LOOP else self.loop
        parts = (self.web, server, self.backend, self.connection, loop)
        return "-".join(part for part in parts if part)

    @property
    def factors(self) -> Dict[str, str]:
        """The level of each factor, in the order of ``levels``."""
        return {
            "web": self.web,
            "server": self.server,
            "loop": self.loop,
            "backend": self.backend,
            "connection": self.connection,
        }

    @property
    def plugins(self) -> Tuple[Web, Backend, Plugin, Server]:
        """The registry entries of the web framework, the backend, the loop and the server."""
        return WEB[self.web], BACKENDS[self.backend], LOOPS[self.loop], SERVERS[self.server]

    @property
    def gaps(self) -> Tuple[str, ...]:
        """The rules that its framework or its server breaks."""
        return WEB[self.web].gaps + SERVERS[self.server].gaps

    @property
    def python(self) -> str:
        """The interpreters it runs on: "3.7" that one only, "3.10+" that and newer, "" any."""
        found = [plugin.python for plugin in self.plugins if plugin.python]
        # A single interpreter that one part needs is in the range of the others.
        exact = [python for python in found if not python.endswith("+")]
        return exact[0] if exact else max(found, key=numbers, default="")

    @property
    def needs(self) -> Tuple[str, ...]:
        """The modules that it imports."""
        return tuple(need for plugin in self.plugins for need in plugin.needs)

    def suits(self, version: str) -> bool:
        """Return whether all its parts run on CPython ``version`` ("3.12", "3.12.1" or "3.14t")."""
        return all(plugin.suits(version) for plugin in self.plugins)


def servers_of(web: str) -> List[str]:
    """Return the servers that can serve a framework, the plain one first."""
    interface = WEB[web].interface
    return [name for name, server in SERVERS.items() if interface in server.interfaces]


def plain_server(web: str) -> str:
    """Return the server of a framework whose engine names none."""
    return servers_of(web)[0]


def runs_in(web: str) -> str:
    """Return where the pages of a framework run, as ``Backend.runs_in`` has it."""
    return THREADS if WEB[web].interface == WSGI else LOOP


def backends_of(web: str) -> List[str]:
    """Return the backends that a framework can use."""
    return [name for name, backend in BACKENDS.items() if runs_in(web) in backend.runs_in]


def loops_of(web: str) -> List[str]:
    """Return the event loops that a framework can run on; threads have none, which is the plain."""
    return list(LOOPS) if runs_in(web) == LOOP else [PLAIN_LOOP]


def levels() -> Dict[str, List[str]]:
    """Return every factor of a contender with its levels, plainest first.

    The factors after ``connection`` are not in an engine's name; those without levels are numbers.
    """
    return {
        "web": list(WEB),
        "server": list(SERVERS),
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
        Engine(web, server, backend, connection, loop)
        for web in WEB
        for server in servers_of(web)
        for backend in backends_of(web)
        for connection in BACKENDS[backend].connections
        for loop in loops_of(web)
    ]
    return [engine for engine in engines if not _conflicts(engine)]


def parse(name: str) -> Engine:
    """Return the engine of a name, in upper or lower case; raise EngineError if there is none."""
    parts = name.lower().split("-")
    loop = PLAIN_LOOP
    if parts[-1] in LOOPS and parts[-1] != PLAIN_LOOP:
        loop = parts.pop()
    if len(parts) not in (3, 4) or (len(parts) == 4 and parts[1] in BACKENDS):
        near = _nearest(name) or "; see --list"
        raise EngineError(f"{name!r}: an engine is {FORM}{near}")
    _check(name, "web framework", parts[0], list(WEB))
    server = _server(name, parts[0], parts.pop(1) if len(parts) == 4 else None)
    web, backend, connection = parts
    _check(name, "backend", backend, list(BACKENDS))
    _check_place(name, web, backend, loop)
    connections = BACKENDS[backend].connections
    if connection not in connections:
        known = ", ".join(connections)
        why = f"{backend} has the connection modes {known}, not {connection!r}"
        raise EngineError(f"{name!r}: {why}{_nearest(name)}")
    engine = Engine(web, server, backend, connection, loop)
    conflicts = _conflicts(engine)
    if conflicts:
        raise EngineError(f"{name!r}: no interpreter runs both: {'; '.join(conflicts)}")
    return engine


def _server(name: str, web: str, given: Optional[str]) -> str:
    """Return the server that a name means for a framework; raise EngineError if there is none."""
    if given is None:
        return plain_server(web)
    _check(name, "server", given, list(SERVERS))
    known = servers_of(web)
    if known == [OWN]:
        raise EngineError(f"{name!r}: {web} has a server of its own and runs on no other")
    if given not in known:
        raise EngineError(f"{name!r}: {web} runs on {', '.join(known)}, not on {given}")
    return given


def _check_place(name: str, web: str, backend: str, loop: str) -> None:
    """Raise EngineError if a backend or a loop is not for where the framework's pages run."""
    known = backends_of(web)
    if backend not in known:
        places = f"{web} runs in {runs_in(web)} and {backend} in {BACKENDS[backend].runs_in[0]}"
        raise EngineError(f"{name!r}: {places}: {web} takes {', '.join(known)}")
    if loop not in loops_of(web):
        raise EngineError(f"{name!r}: {web} runs in {THREADS}, without {loop}: leave that out")


def beginning(name: str) -> List[Engine]:
    """Return the engines whose names begin with these parts ("aiohttp"); none for a full name."""
    given = name.lower()
    found = [
        engine
        for engine in every_engine()
        if f"{engine.name}-".startswith(f"{given}-")
        or f"{engine.long_name}-".startswith(f"{given}-")
    ]
    return [] if any(given in (engine.name, engine.long_name) for engine in found) else found


def spoken(python: str) -> str:
    """Return a range of interpreters in words: "3.7 only", "3.10 and newer"."""
    return f"{python[:-1]} and newer" if python.endswith("+") else f"{python} only"


def _conflicts(engine: Engine) -> List[str]:
    """Return the interpreters that each part needs, if no interpreter runs them all."""
    # Only a part for a single version can be out of the range of another: ranges have no end.
    if not engine.python or engine.python.endswith("+") or engine.suits(engine.python):
        return []
    names = (engine.web, engine.backend, engine.loop, engine.server)
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
