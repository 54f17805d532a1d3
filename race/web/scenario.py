"""Scenarios of the sticker site: engines on pages, by the generators that speak HTTP."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct, field
from msgspec.structs import force_setattr

from race.errors import unknown
from race.saved.model import Name
from race.scenario import AtLeastOne, LoadPlan, Names, Scenario
from race.web.load import GENERATORS
from race.web.pages import named


class Program(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A contender that is not server.py: `{root}` and `{python}` in its command are filled in.

    It must print server.py's `serving ...` line and end on SIGTERM.
    """

    command: Annotated[tuple[str, ...], Meta(min_length=1)]
    python: str | None = None
    database: str | None = None


class HttpLoad(LoadPlan, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """wrk drives the closed loop, oha the open one."""

    generator: Name = "wrk"
    open_generator: Name = "oha"

    def __post_init__(self) -> None:
        for name in (self.generator, self.open_generator):
            if name not in GENERATORS:
                raise unknown("load generator", name, GENERATORS)


class SiteScenario(Scenario, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`pythons` are versions (`3.12`) or `found`; `render` are ways to render pages (none: the
    plainest); `workers` are numbers of processes of a server.

    Each engine races on each of them. A page may be given by its path, as `/good`.
    """

    contenders: Names = field(name="engines")
    tasks: Names = field(name="pages")
    pythons: tuple[str, ...] = ()
    render: tuple[Name, ...] = ()
    workers: Annotated[tuple[AtLeastOne, ...], Meta(min_length=1)] = (1,)
    load: HttpLoad = HttpLoad()
    programs: dict[str, Program] = field(default_factory=dict)

    def __post_init__(self) -> None:
        force_setattr(self, "tasks", tuple(named(task) for task in self.tasks))
