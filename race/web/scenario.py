"""Scenarios of the site: engines on pages, driven by HTTP load generators."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

from msgspec import Meta, Struct, field
from msgspec.structs import force_setattr, replace

from race import load as generators
from race.errors import RaceError, unknown
from race.load import GENERATORS
from race.load.generator import Shaped
from race.saved.model import Load, Name, UserLoad, matching
from race.scenario import LoadPlan, Names, Number, Scenario
from race.web.pages import named
from runtime.arguments import MOST_WORKERS

SERVER, GENERATOR, DATABASE = PARTIES = ("server", "generator", "database")
CORES = "cores"
"""Means the numbers of workers from one to the cores of this machine."""
Workers = Annotated[int, Meta(ge=1, le=MOST_WORKERS)] | Literal["cores"]
Milliseconds = Annotated[float, Meta(ge=0, le=10_000)]


HostName = Annotated[
    str,
    matching(r"^[A-Za-z0-9_][\w.@-]*(:[\w./+-]+)?$", "a host is HOST or HOST:PYTHON, as for ssh"),
]


ServerName = Annotated[
    str,
    matching(r"^[A-Za-z0-9_][\w.@-]*:/[\w./+-]+$", "a server is HOST:/folder/of/a/checkout"),
]


class Program(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A contender other than server.py; `{root}` and `{python}` in its command are filled in.

    It must print server.py's `serving ...` line and end on SIGTERM. Programs with `factors` are
    described by them, and compared with what differs in one of them.
    """

    command: Annotated[tuple[str, ...], Meta(min_length=1)]
    python: str | None = None
    database: str | None = None
    factors: dict[str, Name] = field(default_factory=dict)


class HttpLoad(LoadPlan, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The load of a scenario: wrk drives a closed loop, oha an open one, Locust a user load.

    A user load is a `user` of locustfiles/users by a `shape` of locustfiles/shapes, whose fields
    `shape_options` change. With `concurrency`, a task is driven with each of these numbers of
    connections, and none is raised.
    """

    generator: Name = "wrk"
    open_generator: Name = "oha"
    user: str = ""
    shape: str = ""
    shape_options: dict[str, str | int | float] = field(default_factory=dict)
    concurrency: tuple[Number, ...] = ()

    def __post_init__(self) -> None:
        for name in (self.generator, self.open_generator):
            if name not in GENERATORS:
                raise unknown("load generator", name, GENERATORS)
        user_load = isinstance(generators.find(self.generator), Shaped)
        if user_load and not (self.user and self.shape):
            raise RaceError(f"{self.generator} needs users: load.user and load.shape say which")
        if user_load and (self.rates or self.rates_of_slowest or self.rates_of_own):
            raise RaceError("users set their own pace: no fixed rates beside load.shape")
        if not user_load and (self.user or self.shape or self.shape_options):
            raise RaceError(
                f"load.user, load.shape and load.shape_options are not for {self.generator}: "
                'generator = "locust" has users'
            )

    @property
    def user_load(self) -> UserLoad | None:
        """The user load; None if connections always wait for an answer."""
        if not self.shape:
            return None
        return UserLoad(
            self.user, self.shape, tuple(map(_option, sorted(self.shape_options.items())))
        )

    def generators(self, open_loop: bool) -> Sequence[str]:
        """Return the load generators that are used."""
        return [self.generator, self.open_generator] if open_loop else [self.generator]

    def closed(self, depth: int) -> Load:
        return replace(LoadPlan.closed(self, depth), user_load=self.user_load)

    def closed_loads(self, pipelines: bool) -> Sequence[Load]:
        if not self.concurrency:
            return LoadPlan.closed_loads(self, pipelines)
        plain = self.closed(1)
        return [replace(plain, connections=number, fixed=True) for number in self.concurrency]


class Hosts(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The machines of parties that run on other ones: `HOST`, as `ssh HOST` takes it, or
    `HOST:PYTHON`; a server's is `HOST:CHECKOUT`. `address` is where the other machines reach
    this one; without it, the address that their sshd saw.
    """

    server: ServerName | None = None
    generator: HostName | None = None
    database: HostName | None = None
    address: Name | None = None

    @property
    def given(self) -> Mapping[str, str]:
        """The machine of each party that has one."""
        found = {name: getattr(self, name, None) for name in PARTIES}
        return {name: host for name, host in found.items() if host is not None}

    def __post_init__(self) -> None:
        parties: dict[str, list[str]] = {}
        for party, host in self.given.items():
            parties.setdefault(host.partition(":")[0], []).append(party)
        for name, found in parties.items():
            if len(found) > 1:
                raise RaceError(f"{' and '.join(found)} are on {name}: one party a machine")


def _option(given: tuple[str, str | int | float]) -> tuple[str, str]:
    name, value = given
    return name, f"{value:g}" if isinstance(value, float) else str(value)


class SiteScenario(Scenario, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`pythons` are versions (`3.12`) or `found`; `builds` are environments (`.venv-fast`) of
    several builds of one version, or `found`; `render` are ways to render pages (none: the
    plainest); `workers` are numbers of processes of a server, or `cores`: 1, 2, ... up to the cores
    of the machine (`race.machine.cores.worker_counts`); `link` are milliseconds that each
    round trip between server and database takes more (0: nothing is put in between), `distance`
    those between generator and server. `deadline` is how many seconds an engine's page may take in
    place of its own limit. `hosts` are other machines.

    Each engine races on each of them. A page may be given by its path, as `/good`.
    """

    contenders: Names = field(name="engines")
    tasks: Names = field(name="pages")
    pythons: tuple[str, ...] = ()
    builds: tuple[Name, ...] = ()
    render: tuple[Name, ...] = ()
    workers: Annotated[tuple[Workers, ...], Meta(min_length=1)] = (1,)
    link: tuple[Milliseconds, ...] = ()
    distance: tuple[Milliseconds, ...] = ()
    deadline: Annotated[float, Meta(ge=0.1, le=600)] | None = None
    load: HttpLoad = HttpLoad()
    programs: dict[str, Program] = field(default_factory=dict)
    hosts: Hosts = Hosts()

    @property
    def own_programs(self) -> Mapping[str, Sequence[str]]:
        there = {name: ("ssh", host) for name, host in self.hosts.given.items()}
        return {**{name: one.command for name, one in self.programs.items()}, **there}

    def __post_init__(self) -> None:
        force_setattr(self, "tasks", tuple(named(task) for task in self.tasks))
        for name in self.load.generators(self.open_loop) if self.hosts.generator else ():
            generators.portable(name)
        for factor, party in (("link", DATABASE), ("distance", GENERATOR)):
            there = [name for name in (SERVER, party) if name in self.hosts.given]
            if any(getattr(self, factor)) and there:
                raise RaceError(f"{factor} is for a race on this machine: leave out --{there[0]}")
        if self.hosts.server and (self.pythons or self.builds or CORES in self.workers):
            raise RaceError(
                'pythons, builds and workers = ["cores"] look at this machine: give numbers of '
                "workers, or leave out --server"
            )
