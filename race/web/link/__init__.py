"""A link between a server and its database that takes time: a relay of our own, in a process of its
own beside the database.

Not netem: that takes root and a network namespace, and private databases listen on Unix sockets,
which it does not see.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass

from databases.database import Database
from race.errors import CellFailed
from race.machine.process import Child
from race.saved.model import Contender
from runtime.address import Address, moved
from runtime.paths import ROOT

LINK = "link"
"""The factor: what the link adds to each round trip."""
LISTENS = "listens"
START_SECONDS = 10.0


def level(milliseconds: float) -> str:
    """Of the factor: "0.2 ms"."""
    return f"{milliseconds:g} ms"


def milliseconds(contender: Contender) -> float:
    """What a contender's link adds to each round trip; 0 without a link."""
    return float(contender.factors.get(LINK, level(0)).partition(" ")[0])


@dataclass
class Link:
    """A relay that runs, the environment that leads a server through it, and where it listens."""

    child: Child
    env: Mapping[str, str]
    where: Address

    def end(self) -> None:
        """With the connections that are left."""
        self.child.end()


def laid(database: Database, url: str, more: float, where: frozenset[int]) -> Link:
    """A link to the database at a URL, `more` milliseconds a round trip, on some cores.

    CellFailed when the relay does not start.
    """
    target = database.address(url)
    place = [target.path] if target.path is not None else [target.host, str(target.port)]
    words = [sys.executable, "-m", "race.web.link", f"{more:g}", *place]
    child = Child(words, where, cwd=ROOT, talks=True)
    try:
        said, *here = (child.read_line(START_SECONDS) or "").split("\t")
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
