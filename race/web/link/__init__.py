"""A link between a server and its database that adds a delay: a relay in a process of its own.

netem would take root and a network namespace, and it does not see the Unix sockets that private
databases listen on.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass

from databases.database import Database
from race.errors import CellFailed
from race.machine.process import Child
from race.saved.model import Contender
from race.timeouts import TIMEOUTS
from runtime.address import Address, moved
from runtime.paths import ROOT

LINK = "link"
"""The factor: what the link adds to each round trip."""
LISTENS = "listens"


def level(milliseconds: float) -> str:
    """Return a level of the factor: "0.2 ms"."""
    return f"{milliseconds:g} ms"


def milliseconds(contender: Contender) -> float:
    """Return what a contender's link adds to each round trip; 0 without a link."""
    return float(contender.factors.get(LINK, level(0)).partition(" ")[0])


@dataclass
class Link:
    """A running relay, its address, and the environment that leads a server to it."""

    child: Child
    env: Mapping[str, str]
    address: Address

    def end(self) -> None:
        """End the relay and the connections that are left."""
        self.child.end()


def start(database: Database, url: str, more: float, cores: frozenset[int]) -> Link:
    """Start a link to the database at a URL that adds `more` milliseconds to a round trip.

    CellFailed if the relay does not start.
    """
    target = database.address(url)
    place = [target.path] if target.path is not None else [target.host, str(target.port)]
    words = [sys.executable, "-m", "race.web.link", f"{more:g}", *place]
    child = Child(words, cores, cwd=ROOT, talks=True)
    try:
        said, *here = (child.read_line(TIMEOUTS.link_start) or "").split("\t")
        if said != LISTENS:
            raise CellFailed(f"the link to the database {child.last_words()}")
        found = (
            target._replace(path=here[0])
            if target.path is not None
            else target._replace(host=here[0], port=int(here[1]))
        )
    except BaseException:
        child.end()
        raise
    return Link(child, {database.url_variable: moved(url, found)}, found)
