"""The plan of a load shape: fields that a person fills in, and users for each second."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from locustfiles.shapes.totals import Totals


class Field(NamedTuple):
    """A parameter of a shape: `steps_rate` is the argument `--steps-rate` and a field of the page.

    A name has no digits, which the page would take for words, and `help` no percent sign, which
    would break --help. `read` takes name and text, and raises `WrongField`.
    """

    name: str
    default: str
    help: str
    read: Callable[[str, str], Any]


class ShapePlan:
    """Users over time, made anew for each run from the values of its FIELDS, in order.

    A shape is a dataclass of them, whose `__post_init__` raises `WrongField` if they do not go
    together.
    """

    FIELDS: ClassVar[tuple[Field, ...]]

    def __init__(self, *values: Any) -> None:
        raise NotImplementedError

    def observe(self, second: int, totals: Totals) -> None:
        """Take in what the site has answered since the run began; called before `users`."""

    def users(self, second: int) -> int | None:
        """Return how many users there are at the end of a second; None ends the run."""
        raise NotImplementedError

    def finding(self) -> str | None:
        """Return what the run found out, or None if it only followed a curve."""
        return None


def planned(kind: type[ShapePlan], given: Mapping[str, str]) -> ShapePlan:
    """Return the plan of fields by name; a field that is not given has its default."""
    texts = [(one, str(given.get(one.name, one.default)).strip()) for one in kind.FIELDS]
    return kind(*(one.read(one.name, text) for one, text in texts))


def adapts(kind: type[ShapePlan]) -> bool:
    """Return whether the users of such a plan depend on what the site answers."""
    return kind.observe is not ShapePlan.observe


def curve(plan: ShapePlan, answer: Callable[[int], Totals]) -> list[int]:
    """Return the users of each second if so many users get those answers within a second."""
    totals, counts = Totals(), list[int]()
    while True:
        plan.observe(len(counts), totals)
        found = plan.users(len(counts))
        if found is None:
            return counts
        counts.append(found)
        totals = totals.plus(answer(found))


def extent(plan: ShapePlan) -> str:
    """Return how many users a plan has and how long it takes, for the line before a run."""
    if adapts(type(plan)):
        return "until a limit is passed"
    counts = curve(plan, lambda users: Totals())
    return f"up to {max(counts)} users, {len(counts)} s"


@dataclass(frozen=True)
class Stage:
    """A number of users, and the seconds for it with the way there."""

    users: int
    seconds: int


def moved(before: int, after: int, most: float) -> int:
    """Return the users on the way from one number to another if at most `most` came or left."""
    change = min(abs(after - before), int(most))
    return before + change if after > before else before - change
