"""Tasks that are a walk over several pages, and what is known of a task by its pages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from race.discipline import Task
from race.saved.model import Figures
from race.web import pages
from race.web.pages import PAGES, REPORTS


@dataclass(frozen=True)
class Walk(Task):
    """Pages by name, each asked for as often as its weight: only users can do that."""

    pages: Mapping[str, int] = field(default_factory=dict)


WALKS = {
    "reports": Walk(
        "Reports",
        ignores=("render",),
        text="Somebody reads the reports: the light ones, Report 1 and 2, eight times out of "
        "eleven, each of the heavy ones, 3 to 5, once. What is said of one request is their mean "
        "by these weights.",
        pages=dict(zip(REPORTS, (5, 3, 1, 1, 1), strict=True)),
    ),
}
TASKS: Mapping[str, Task] = {**PAGES, **WALKS}
WALKERS = {"Reporter": "reports", "Voter": "vote"}
"""What the users of locustfiles/users do, of those that do one task."""


def pages_of(task: str) -> Mapping[str, int]:
    """The pages of a task with their weights; a page is its own."""
    return WALKS[task].pages if task in WALKS else {task: 1}


def path_of(task: str) -> str:
    """Of its first page."""
    return PAGES[next(iter(pages_of(task)))].path


def verify(url: str, task: str, patient: bool = False) -> None:
    """Every page of a task; see ``pages.verify``."""
    for page in pages_of(task):
        pages.verify(url, page, patient)


def weigh(url: str, task: str) -> Figures:
    """What a request of a task weighs; see ``pages.weigh``."""
    weighed: dict[str, Figures] = {page: {**pages.weigh(url, page)} for page in pages_of(task)}
    return mean(task, weighed)


def mean(task: str, found: Mapping[str, Figures]) -> Figures:
    """Figures of a task from those of its pages, by their weights; a figure that a page lacks is 0
    there. Nothing where a page has none at all.
    """
    weights = pages_of(task)
    if not found.keys() >= weights.keys():
        return {}
    if task not in WALKS:
        return found[task]
    names = dict.fromkeys(name for page in weights for name in found[page])
    return {name: _mean(weights, found, name) for name in names}


def _mean(weights: Mapping[str, int], found: Mapping[str, Figures], name: str) -> float:
    total = sum(found[page].get(name, 0) * often for page, often in weights.items())
    return round(total / sum(weights.values()), 3)
