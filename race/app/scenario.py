"""Scenarios of an application: how its servers start, and the requests that they answer."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated

from msgspec import Meta, field
from msgspec.structs import force_setattr

from race.app import factors
from race.app.factors import Factor, Level, Levels
from race.app.request.form import Path, Request
from race.errors import RaceError, instead
from race.machine.describe import PYTHON
from race.saved.model import Name, Positive, matching
from race.scenario import Duration, LoadPlan, Rounds, Scenario

PORT, SOCKET = PLACES = "port", "socket"
"""Stand in a command, in braces, for the port or the Unix socket that a server listens on."""
WORD = "contender"
"""Stands in a command, in braces, for a word that no other contender has."""
DATABASE_PARTS = ("url", "host", "port", "user", "password", "name")
"""Follow `database_` in what stands in a command, in braces, for a contender's own database."""
ROUND = "round"
"""The reset that makes each database as it was prepared, before each round."""
MIX = "mix"
"""The task of all requests together, by their weights."""
ALL = "*"
"""As the value of `twin`, it gives each commit a twin of its own."""
COMMIT = "commit"
"""The factor whose levels are the commits that race."""
WRK, VEGETA, OHA = "wrk", "vegeta", "oha"

Hash = Annotated[str, matching(r"^[0-9a-f]{40,64}$", "a commit is a whole hash")]


class AppLoad(LoadPlan, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The load of a scenario: wrk drives a closed loop, vegeta an open one, or oha where each
    request is a plain GET.
    """

    generator: Name = WRK
    open_generator: Name = VEGETA
    duration_s: Duration = 0.5

    def __post_init__(self) -> None:
        if self.generator != WRK or self.open_generator not in (VEGETA, OHA):
            raise RaceError(
                f"an application is driven by {WRK}, at fixed rates by {VEGETA} or {OHA}"
            )


class AppScenario(Scenario, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A race of an application.

    `serve` is the command of a server, which listens on 127.0.0.1:{port} or on the Unix socket
    {socket}; `build` runs once for each contender before the race. Each of `factors` has levels:
    texts by name, or a list of texts that are their own names. The level that a contender has
    stands in the commands and in `env` where the factor's name stands in braces. All `combinations`
    race, or those that are named; with `vary`, only these factors differ. A server is ready when
    `ready` is answered below 400. Each contender has a `database` of its own, which `prepare` fills
    and `reset` makes as it was, or a command of the user's own (`race.app.database`).
    Commands run in `folder`, by default that of the file. `only` are the requests to race: names,
    or "mix" for all of them by weight; without it, each by itself and the mix. `commits` are
    revisions of the repository that `folder` is in, each a checkout of its own where the commands
    run; a race saves them with the commits that they stood for. `locks` are the files that say what
    `build` installs, as patterns in `folder`; without it, those of the known package managers.
    """

    title: str = ""
    contenders: tuple[Name, ...] = field(default=("*",), name="servers")
    tasks: tuple[Name, ...] = field(default=(), name="only")
    serve: Name
    build: str = ""
    ready: Path | None = None
    start_s: Positive = 30.0
    build_s: Positive = 1800.0
    env: dict[str, str] = field(default_factory=dict)
    factors: dict[str, Factor] = field(default_factory=dict)
    combinations: tuple[dict[str, Level], ...] = ()
    vary: tuple[Name, ...] = ()
    database: str = ""
    prepare: str = ""
    reset: str = ""
    requests: Annotated[tuple[Request, ...], Meta(min_length=1)]
    allow_different: bool = False
    commits: dict[str, Hash] | tuple[Name, ...] = ()
    locks: tuple[Name, ...] = ()
    folder: str = ""
    rounds: Rounds = 12
    restart: Annotated[int, Meta(ge=0)] = 3
    load: AppLoad = AppLoad()

    def __post_init__(self) -> None:
        names = [one.name for one in self.requests]
        mixed = [MIX] if len(names) > 1 else []
        force_setattr(self, "title", self.title or self.folder.rpartition("/")[2] or self.name)
        force_setattr(self, "tasks", self.tasks or (*names, *mixed))
        if self.commits and self.twin is None:
            force_setattr(self, "twin", ALL)
        if self.reset:
            force_setattr(self, "restart", 1)
        if problem := next(self._problems(), None):
            raise RaceError(f"scenario {self.name}: {problem}")

    def _problems(self) -> Iterator[str]:
        """Yield what is wrong with the names of requests, with the factors and with the state."""
        names = [one.name for one in self.requests]
        yield from (f"request {name!r} is there twice" for name in names if names.count(name) > 1)
        if MIX in names:
            yield f"request {MIX!r} is the name of all together"
        texts = " ".join(self._texts())
        yield from factors.problems(self.factors, texts, {COMMIT, WORD, *PLACES})
        yield from factors.unknown(self.own_levels, self.combinations, self.vary)
        for name in re.findall(r"\{database_(\w+)\}", texts):
            if not self.database:
                yield f'{{database_{name}}} needs a database, as in database = "postgres"'
            if name not in DATABASE_PARTS:
                what = instead(name, DATABASE_PARTS)
                yield f"{{database_{name}}} stands for nothing: of {{database_...}}, {what}"
        if self.reset == ROUND and not self.database:
            yield f'reset = "{ROUND}" needs `database`; without one, give a command'

    def _texts(self) -> Iterator[str]:
        yield from (self.serve, self.build, self.prepare, self.reset, *self.env.values())
        yield from (text for levels in self.levels.values() for text in levels.values())

    @property
    def levels(self) -> Mapping[str, Levels]:
        """The text of each level by its name, by factor; that of a commit is its hash."""
        commits = {COMMIT: factors.named(self.commits)} if self.commits else {}
        return {**commits, **self.own_levels}

    @property
    def own_levels(self) -> Mapping[str, Levels]:
        """The levels of the factors that the scenario names."""
        return factors.own(self.factors)

    @property
    def own_programs(self) -> Mapping[str, Sequence[str]]:
        names = ("build", "prepare", "reset", "serve", "folder")
        commands = {name: getattr(self, name) for name in names}
        commands |= {f"env {name}": text for name, text in self.env.items()}
        commands |= {f"commit {name}": text for name, text in self.levels.get(COMMIT, {}).items()}
        levels = {
            f"{factor} {level}": text
            for factor, levels in self.own_levels.items()
            for level, text in levels.items()
        }
        return {name: [text] for name, text in {**commands, **levels}.items() if text}


def level_name(factor: str, level: str) -> str:
    """Return a level as reports name it. A number alone would be taken for one of the interpreters
    that the core knows.
    """
    return f"CPython {level}" if factor == PYTHON and level[:1].isdigit() else level
