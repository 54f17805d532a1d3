"""A registry entry: what to import once it is chosen. Standard library only."""

from __future__ import annotations

import importlib
from typing import Any, NamedTuple, Optional, Tuple


class Plugin(NamedTuple):
    """A component named by a dotted path and imported late.

    ``target`` is "package.module:attribute"; ``needs`` the modules that must be importable;
    ``python`` the only interpreter it runs on ("3.7"), None for any; ``server`` the embedded
    database it talks to, None for none; ``url`` the environment variable that names another one;
    ``connections`` the connection modes that make sense.
    """

    target: str
    needs: Tuple[str, ...] = ()
    python: Optional[str] = None
    server: Optional[str] = None
    url: Optional[str] = None
    connections: Tuple[str, ...] = ()

    def load(self) -> Any:
        """Import the module and return the attribute."""
        module, attribute = self.target.split(":")
        return getattr(importlib.import_module(module), attribute)
