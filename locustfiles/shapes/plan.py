"""What a load shape is: fields that a person fills in, and users for each second."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, Self

from locustfiles.shapes.load import Load
from locustfiles.shapes.values import Values


class Field(NamedTuple):
    """A parameter of a shape: ``steps_rate`` is the argument ``--steps-rate`` and a field of the
    web page, which takes a digit in a name for a word of its own: letters only. ``help`` is what
    the page shows beside the name; a percent sign there breaks --help.
    """

    name: str
    default: str
    help: str


class Plan:
    """Users over time. Made anew for each run, of the fields as they were filled in."""

    FIELDS: ClassVar[tuple[Field, ...]]

    @classmethod
    def parse(cls, values: Values) -> Self:
        """The plan of these fields; ``WrongField`` with one line where a value is none."""
        raise NotImplementedError

    def look(self, second: int, load: Load) -> None:
        """What the site has answered since the run began; before ``users``, in each second."""

    def users(self, second: int) -> int | None:
        """How many users there are once that second of the run is over; None ends the run."""
        raise NotImplementedError

    def finding(self) -> str | None:
        """What the run found out, for the reports; None where it only followed a curve."""
        return None


def planned(kind: type[Plan], given: Mapping[str, str]) -> Plan:
    """The plan of fields by name; what is not given has its default."""
    return kind.parse(Values({one.name: one.default for one in kind.FIELDS} | dict(given)))


@dataclass(frozen=True)
class Stage:
    """So many users for so many seconds, the way there included."""

    users: int
    seconds: int


def moved(before: int, after: int, most: float) -> int:
    """Users on the way from one number to another, when at most so many came or left so far."""
    change = min(abs(after - before), int(most))
    return before + change if after > before else before - change
