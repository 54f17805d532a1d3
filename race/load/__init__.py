"""Load generators: a file and a line of the registry each, imported when a scenario asks.

wrk, h2load and oha know requests and nothing of what answers them; Locust's users know the site.
"""

from __future__ import annotations

from race.errors import RaceError, unknown
from race.load.generator import Generator, Portable
from runtime.plugin import Plugin

GENERATORS = {
    "wrk": Plugin("race.load.wrk:Wrk"),
    "h2load": Plugin("race.load.h2load:H2load"),
    "oha": Plugin("race.load.oha:Oha"),
    "vegeta": Plugin("race.load.vegeta:Vegeta"),
    "locust": Plugin("race.web.locust.generator:Locust"),
}


def find(name: str) -> Generator:
    """Return the generator of that name. RaceError names the nearest one if there is none."""
    if name not in GENERATORS:
        raise unknown("load generator", name, GENERATORS)
    made: Generator = GENERATORS[name].load()()
    return made


def portable(name: str) -> Portable:
    """Return the generator of that name. RaceError if it does not run on another machine."""
    driver = find(name)
    if not isinstance(driver, Portable):
        raise RaceError(f"{name} runs on this machine alone: leave out --generator")
    return driver
