"""The record of a profile: which functions of two contenders take the CPU time of a unit."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from race.saved import record
from race.saved.model import Amount, Count, Load, Name, Positive

FILE = "why.json"


class ProfileCell(Struct, frozen=True, kw_only=True):
    """A contender under the load while it was looked at, in one life of its process.

    `cpu_us` is the CPU time of a unit in microseconds, of the party under test; `threads` has it by
    the names of threads. `stacks` has how often each stack of functions was seen, from the
    outermost on and joined by ";", of threads that ran. `errors` are looks that failed; `late`:
    the profiler said that it could not keep up. `calls` has how many system calls a unit took, by
    name, counted under a load of its own after that.
    """

    label: Name
    round: Count
    count: Count
    seconds: Positive
    cpu_us: Amount
    threads: dict[str, Amount] = {}
    stacks: dict[str, Count] = {}
    errors: Count = 0
    late: bool = False
    calls: dict[str, Amount] = {}

    @property
    def samples(self) -> int:
        """How often a running thread was seen."""
        return sum(self.stacks.values())


class Profile(Struct, frozen=True, kw_only=True):
    """The cells of two contenders, `labels`, the one to compare with first, on a task under a load.

    `hertz` is how often a second the profiler looked. `no_functions` and `no_calls` say why there
    are no functions, or no system calls in their place.
    """

    race: Name
    labels: tuple[Name, Name]
    task: Name
    load: Load
    hertz: Positive
    profiler: str | None = None
    no_functions: str = ""
    no_calls: str = ""
    cells: list[ProfileCell] = []


def write(folder: Path, profile: Profile) -> None:
    """Save it beside its race. NotSaved if that is not possible."""
    record.write(folder / FILE, profile)


def load(folder: Path) -> Profile | None:
    """Read what is beside a race; None if it has no profile. ResultsError if it is damaged."""
    path = folder / FILE
    return record.read(path, Profile) if path.is_file() else None
