"""The contract of load generators, and what they are given and give back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

from race.discipline import Sample
from race.saved.model import Load, UserLoad
from runtime.address import Address
from runtime.paths import ROOT

ERROR_KINDS = ("connect", "read", "write", "timeout", "status")


@dataclass(frozen=True)
class WatchedProcesses:
    """Processes that are watched during a load.

    `server` and `database` are main processes, None if there is none on this machine; `address`
    is where the server finds its database.
    """

    server: int | None = None
    database: int | None = None
    address: Address | None = None


UNWATCHED = WatchedProcesses()


@dataclass(frozen=True)
class Target:
    """The target of a load: base URL and the path that is asked for.

    In place of GETs for the path, wrk sends the `requests` of a file (wrk_scripts/requests.lua), or
    what a `script` of wrk_scripts/ says. `cookie` is what each request carries, or nothing.
    `watched` are processes that a generator with a timeline may sample during the load. `socket` is
    the path of the Unix socket that the server listens on in place of the URL's address. `root` is
    where the generator finds the project's files, and `program` its path, or nothing for the one
    that is found here.
    """

    url: str
    path: str
    requests: str = ""
    script: str = ""
    cookie: str = ""
    watched: WatchedProcesses = UNWATCHED
    socket: str = ""
    root: Path = ROOT
    program: str = ""


@dataclass(frozen=True)
class PostedChanges:
    """Changes that a load posted: acknowledged by the server, or without an answer."""

    acknowledged: int
    unanswered: int

    def __add__(self, other: PostedChanges) -> PostedChanges:
        return PostedChanges(
            self.acknowledged + other.acknowledged, self.unanswered + other.unanswered
        )


@dataclass(frozen=True)
class LoadResult:
    """The result of a load; `changes` are those that it posted, None if it posts none.

    Of the sample, `count` are answers without error, `errors` by the kinds of ERROR_KINDS. `own_ns`
    is the CPU time that the generator used for the load itself, without its start and end, or None
    if it does not say.
    """

    sample: Sample
    changes: PostedChanges | None = None
    own_ns: int | None = None


class Generator(Protocol):
    """A program that drives a server for a while and prints the result."""

    open_loop: bool
    """Requests leave at a fixed rate; otherwise each waits for the answer before it."""
    interruptible: bool
    """SIGINT ends a run early and keeps its results."""
    version: Sequence[str]
    """The command that prints its version."""

    def missing(self) -> str | None:
        """Return why it cannot run here and what to do about it; None if it can."""
        ...

    def command(self, target: Target, load: Load) -> list[str]:
        """Return the command line of one run of `load.duration_s` seconds."""
        ...

    def parse(self, output: str, load: Load) -> LoadResult:
        """Read the output of a run. ValueError if there is no result in it."""
        ...


@runtime_checkable
class Portable(Generator, Protocol):
    """A generator that can run on another machine, where `program` is its name."""

    program: str
    files: str
    """The folder of the project that it reads there, or nothing."""


@runtime_checkable
class Shaped(Generator, Protocol):
    """A generator of users (`Load.user_load`) that come and go by a shape, in a time of its own.

    A load of another length is a warm-up: a few users at once.
    """

    def curve(self, user_load: UserLoad) -> Sequence[int]:
        """Return how many users there are in each second. RaceError if the shape is wrong."""
        ...
