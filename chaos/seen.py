"""What was seen of a fault."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field


class NotHere(Exception):
    """The fault cannot be done to this subject on this machine: one line that says why."""


@dataclass(frozen=True)
class Votes:
    """Votes that clients posted, by what they were told, against those that the database has.

    ``undecided``: the answer was cut off or a 503, so that the vote may or may not have counted.
    """

    acknowledged: int
    undecided: int
    counted: int

    @property
    def wrong(self) -> list[str]:
        """A line when the database lost a vote, or has one that nobody cast."""
        if self.acknowledged <= self.counted <= self.acknowledged + self.undecided:
            return []
        most = f" to {self.acknowledged + self.undecided}" if self.undecided else ""
        return [f"{self.acknowledged}{most} votes acknowledged, {self.counted} counted"]


@dataclass(frozen=True)
class Seen:
    """What became of one subject: ``tried`` says how much was done to it, ``text`` what it did.

    ``recovery``: seconds until it was as before, one for each time that it was not; ``wrong``: a
    line for everything that broke the promise.
    """

    subject: str
    tried: str
    text: str = ""
    recovery: Sequence[float] = ()
    votes: Votes | None = None
    wrong: Sequence[str] = field(default=())

    @property
    def complaints(self) -> list[str]:
        """All that is wrong; empty when the subject survived."""
        return [*self.wrong, *(self.votes.wrong if self.votes else [])]
