"""The tasks of a race of the site: its pages, and mixes of several pages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from race.discipline import Task
from race.saved.model import Figures
from race.web import pages
from race.web.login import log_in
from race.web.pages import PAGES, REPORTS


@dataclass(frozen=True)
class PageMix(Task):
    """Pages by name with the weight of each; only users can ask for a mix."""

    pages: Mapping[str, int] = field(default_factory=dict)


MIXES = {
    "reports": PageMix(
        "Reports",
        ignores=("render",),
        text="A user reads the reports: the light ones, Report 1 and 2, eight times out of "
        "eleven, each of the heavy ones, 3 to 5, once. What is said of one request is their mean "
        "by these weights.",
        pages=dict(zip(REPORTS, (5, 3, 1, 1, 1), strict=True)),
    ),
}
TASKS: Mapping[str, Task] = {**PAGES, **MIXES}
USER_TASKS = {"Reporter": "reports", "Voter": "vote"}
"""Users of locustfiles/users that do one task, and which."""


def pages_of(task: str) -> Mapping[str, int]:
    """Return the pages of a task with their weights; a page is its own."""
    return MIXES[task].pages if task in MIXES else {task: 1}


def path_of(task: str) -> str:
    """Return the path of a task's first page."""
    return PAGES[next(iter(pages_of(task)))].path


def needs_login(task: str) -> bool:
    """Return whether a task asks for pages that only a manager gets."""
    return any(PAGES[page].login for page in pages_of(task))


def cookie_of(url: str, task: str) -> str:
    """Return the cookie that the requests of a task carry, or nothing."""
    return log_in(url) if needs_login(task) else ""


def verify(url: str, task: str, retry: bool = False) -> None:
    """Check every page of a task, as `pages.verify` does."""
    for page in pages_of(task):
        pages.verify(url, page, retry)


def weigh(url: str, task: str) -> Figures:
    """Return what a request of a task weighs, the mean of its pages."""
    weighed: dict[str, Figures] = {page: {**pages.weigh(url, page)} for page in pages_of(task)}
    return mean(task, weighed)


def mean(task: str, found: Mapping[str, Figures]) -> Figures:
    """Return a task's figures, the means of its pages by their weights.

    A figure that a page lacks is 0 there. Nothing is returned if a page has no figures at all.
    """
    weights = pages_of(task)
    if not found.keys() >= weights.keys():
        return {}
    if task not in MIXES:
        return found[task]
    names = dict.fromkeys(name for page in weights for name in found[page])
    return {name: _mean(weights, found, name) for name in names}


def _mean(weights: Mapping[str, int], found: Mapping[str, Figures], name: str) -> float:
    total = sum(found[page].get(name, 0) * weight for page, weight in weights.items())
    return round(total / sum(weights.values()), 3)
