"""Load generators: a file and a line of the registry each, imported when a scenario asks."""

from __future__ import annotations

from race.errors import unknown
from race.web.load.generator import Generator
from runtime.plugin import Plugin

GENERATORS = {
    "wrk": Plugin("race.web.load.wrk:Wrk"),
    "oha": Plugin("race.web.load.oha:Oha"),
    "vegeta": Plugin("race.web.load.vegeta:Vegeta"),
    "locust": Plugin("race.web.load.locust:Locust"),
}


def find(name: str) -> Generator:
    """Return the generator of that name. RaceError names the nearest one if there is none."""
    if name not in GENERATORS:
        raise unknown("load generator", name, GENERATORS)
    made: Generator = GENERATORS[name].load()()
    return made
