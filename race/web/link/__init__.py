"""A link that adds a delay, between a server and its database or between a load generator and the
server: a relay in a process of its own.

netem would take root and a network namespace, and it does not see the Unix sockets that private
databases listen on.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from databases.database import Database
from race.errors import CellFailed
from race.machine.process import Child
from race.saved.model import Contender
from race.timeouts import TIMEOUTS
from runtime.address import Address, moved
from runtime.paths import ROOT

LINK = "link"
"""The factor: what the link to the database adds to each round trip."""
DISTANCE = "distance"
"""The factor: what the link between generator and server adds to each round trip."""
LISTENS = "listens"


def level(milliseconds: float) -> str:
    """Return a level of the factor: "0.2 ms"."""
    return f"{milliseconds:g} ms"


def milliseconds(contender: Contender, factor: str) -> float:
    """Return what one of a contender's links adds to each round trip; 0 without a link."""
    return float(contender.factors.get(factor, level(0)).partition(" ")[0])


@dataclass
class Link:
    """A relay to a database, its address, and the environment that leads a server to it."""

    child: Child
    env: Mapping[str, str]
    address: Address


@dataclass
class Distance:
    """A relay to a server, and the URL that leads a load generator to it."""

    child: Child
    url: str


def start(database: Database, url: str, more: float, cores: frozenset[int]) -> Link:
    """Start a link to the database at a URL that adds `more` milliseconds to a round trip.

    CellFailed if the relay does not start.
    """
    target = database.address(url)
    place = [target.path] if target.path is not None else [target.host, str(target.port)]
    child, here = _relay(place, more, cores, "database")
    found = (
        target._replace(path=here[0])
        if target.path is not None
        else target._replace(host=here[0], port=int(here[1]))
    )
    return Link(child, {database.url_variable: moved(url, found)}, found)


def away(url: str, more: float, cores: frozenset[int]) -> Distance:
    """Start a link to the server at a URL that adds `more` milliseconds to a round trip.

    CellFailed if the relay does not start.
    """
    server = urlsplit(url)
    child, here = _relay([str(server.hostname), str(server.port)], more, cores, "server")
    return Distance(child, f"http://{here[0]}:{here[1]}")


def _relay(
    place: Sequence[str], more: float, cores: frozenset[int], what: str
) -> tuple[Child, list[str]]:
    """Return a running relay to a place, and its own place."""
    words = [sys.executable, "-m", "race.web.link", f"{more:g}", *place]
    child = Child(words, cores, cwd=ROOT, pipe_output=True)
    try:
        said, *here = (child.read_line(TIMEOUTS.link_start) or "").split("\t")
        if said != LISTENS:
            raise CellFailed(f"the link to the {what} {child.last_words()}")
    except BaseException:
        child.end()
        raise
    return child, here
