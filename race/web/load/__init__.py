"""Load generators: one file each, one line each in the registry, imported when a scenario asks."""

from __future__ import annotations

import importlib

from race.errors import unknown
from race.web.load.generator import Generator, Sample, Target

__all__ = ["GENERATORS", "Generator", "Sample", "Target", "generator"]

GENERATORS = {
    "wrk": "race.web.load.wrk:Wrk",
    "oha": "race.web.load.oha:Oha",
    "build": "race.web.load.build:Build",
}


def generator(name: str) -> Generator:
    """The generator of that name; RaceError names the nearest one when there is none."""
    if name not in GENERATORS:
        raise unknown("load generator", name, GENERATORS)
    module, attribute = GENERATORS[name].split(":")
    made: Generator = getattr(importlib.import_module(module), attribute)()
    return made
