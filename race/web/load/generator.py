"""What the harness asks of a load generator, and what it gets back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from race.discipline import Sample
from race.saved.model import Load, UserLoad
from race.web.votes import Cast
from runtime.address import Address

ERROR_KINDS = ("connect", "read", "write", "timeout", "status")


@dataclass(frozen=True)
class Beside:
    """What a generator with a timeline may look at meanwhile: the main processes of server and
    database, None where there is none to see, and where the server finds its database.
    """

    server: int | None = None
    database: int | None = None
    where: Address | None = None


@dataclass(frozen=True)
class Target:
    """Where a load goes: base URL, task and the path of its first page."""

    url: str
    page: str
    path: str
    beside: Beside = Beside()


@dataclass(frozen=True)
class Seen:
    """What a generator saw; `cast` are the votes that it posted, None where it posts none.

    Of the sample, `count` are answers without error, `errors` by the kinds of ERROR_KINDS. `own_ns`
    is the CPU time that it used for the load itself, without start and end; None where it tells no
    such thing.
    """

    sample: Sample
    cast: Cast | None = None
    own_ns: int | None = None


class Generator(Protocol):
    """A program that drives a server for a while and prints what it saw."""

    open_loop: bool
    """Requests leave at a fixed rate; otherwise each waits for the answer before it."""
    interruptible: bool
    """SIGINT ends a run early and keeps its results."""
    version: Sequence[str]
    """The command that prints its version."""

    def missing(self) -> str | None:
        """Why it cannot run here and what to do about it; None when it can."""
        ...

    def command(self, target: Target, load: Load) -> list[str]:
        """The command line of one run of `load.duration_s` seconds."""
        ...

    def parse(self, output: str, load: Load) -> Seen:
        """Read its output of that load; ValueError when there is no result in it."""
        ...


@runtime_checkable
class Shaped(Generator, Protocol):
    """A generator of users (`Load.user_load`) that come and go by a shape, in a time of its own.
    A load of another length is a warm-up: a few users at once.
    """

    def curve(self, user_load: UserLoad) -> Sequence[int]:
        """How many users there are in each second; RaceError when the shape is none."""
        ...
