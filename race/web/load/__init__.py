"""Load generators: one file each, one line each in the registry, imported when a scenario asks."""

from __future__ import annotations

from race.errors import unknown
from race.web.load.generator import Generator
from runtime.plugin import Plugin

GENERATORS = {
    "wrk": Plugin("race.web.load.wrk:Wrk"),
    "oha": Plugin("race.web.load.oha:Oha"),
    "locust": Plugin("race.web.load.locust:Locust"),
}


def find(name: str) -> Generator:
    """The generator of that name; RaceError names the nearest one when there is none."""
    if name not in GENERATORS:
        raise unknown("load generator", name, GENERATORS)
    made: Generator = GENERATORS[name].load()()
    return made
