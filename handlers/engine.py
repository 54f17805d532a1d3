"""Engine names: parsed, not listed. Standard library only, so that any interpreter can choose."""

from __future__ import annotations

import difflib
from typing import List, NamedTuple, Optional, Tuple

from data_interface import BACKENDS, Backend
from handlers import WEB
from runtime.plugin import Plugin

UVLOOP = "uvloop"


class EngineError(Exception):
    """The name is no engine; the text says why in one line."""


class Engine(NamedTuple):
    """``<web>-<backend>-<connection>[-uvloop]``."""

    web: str
    backend: str
    connection: str
    uvloop: bool

    @property
    def name(self) -> str:
        """The name it was parsed from."""
        loop = (UVLOOP,) if self.uvloop else ()
        return "-".join((self.web, self.backend, self.connection, *loop))

    @property
    def plugins(self) -> Tuple[Plugin, Backend]:
        """The web framework's and the backend's registry entries."""
        return WEB[self.web], BACKENDS[self.backend]

    @property
    def python(self) -> Optional[str]:
        """The only interpreter it runs on, "3.7", or None for any."""
        return next((plugin.python for plugin in self.plugins if plugin.python), None)

    @property
    def needs(self) -> Tuple[str, ...]:
        """The modules that must be importable."""
        web, backend = self.plugins
        return web.needs + backend.needs + ((UVLOOP,) if self.uvloop else ())


def every_engine() -> List[Engine]:
    """All combinations that make sense."""
    return [
        Engine(web, backend, connection, uvloop)
        for web in WEB
        for backend, plugin in BACKENDS.items()
        for connection in plugin.connections
        for uvloop in (False, True)
    ]


def parse(name: str) -> Engine:
    """The engine of that name, or EngineError."""
    parts = name.split("-")
    uvloop = parts[-1] == UVLOOP
    if uvloop:
        parts.pop()
    if len(parts) != 3:
        form = "an engine is <web>-<backend>-<connection>[-uvloop]"
        raise EngineError(f"{name!r}: {form}{_nearest(name)}")
    web, backend, connection = parts
    _check(name, "web framework", web, list(WEB))
    _check(name, "backend", backend, list(BACKENDS))
    connections = BACKENDS[backend].connections
    if connection not in connections:
        known = ", ".join(connections)
        why = f"{backend} has the connection modes {known}, not {connection!r}"
        raise EngineError(f"{name!r}: {why}{_nearest(name)}")
    return Engine(web, backend, connection, uvloop)


def _check(name: str, what: str, given: str, known: List[str]) -> None:
    if given not in known:
        names = ", ".join(known)
        raise EngineError(f"{name!r}: there is no {what} {given!r}, only {names}{_nearest(name)}")


def _nearest(name: str) -> str:
    near = difflib.get_close_matches(name, [engine.name for engine in every_engine()], 1)
    return f"; did you mean {near[0]}?" if near else ""
