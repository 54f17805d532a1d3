"""Entries of a registry, which import their component when it is chosen."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any, Tuple

from runtime.versions import numbers


@dataclass(frozen=True)
class Plugin:
    """A component named by a dotted path, imported when it is used.

    ``target`` is "package.module:attribute"; ``needs`` the modules that must be importable;
    ``python`` the interpreters it runs on: "3.7" that one only, "3.10+" that one and newer, "" any.
    """

    target: str
    needs: Tuple[str, ...] = ()
    python: str = ""

    def load(self) -> Any:
        """Import the module and return the attribute."""
        module, attribute = self.target.split(":")
        return getattr(importlib.import_module(module), attribute)

    def suits(self, version: str) -> bool:
        """Return whether it runs on CPython ``version`` ("3.12", "3.12.1" or "3.14t")."""
        if not self.python:
            return True
        if self.python.endswith("+"):
            return numbers(version) >= numbers(self.python)
        return numbers(version) == numbers(self.python)
