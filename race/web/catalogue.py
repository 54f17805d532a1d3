"""The list of engines that server.py prints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Entry:
    """One engine on one interpreter; `problem` is why it cannot run here, or None.

    `long_name` has the server also where `name` leaves it out.
    `no_render` has the ways to render that it lacks, with the reason of each.
    """

    name: str
    factors: Mapping[str, str] = field(default_factory=dict)
    database: str | None = None
    problem: str | None = None
    no_render: Mapping[str, str] = field(default_factory=dict)
    long_name: str = ""


@dataclass(frozen=True)
class Catalogue:
    """Every engine that server.py lists, and the levels of its factors, the plainest first."""

    factors: Mapping[str, Sequence[str]]
    entries: Sequence[Entry]


def read(listed: Any) -> Catalogue:
    """Return the list from its JSON."""
    entries = [
        Entry(
            one["engine"],
            one["factors"],
            one["database"],
            one["reason"],
            one["no_render"],
            one["long_name"],
        )
        for one in listed["engines"]
    ]
    return Catalogue(listed["factors"], entries)
