"""The records of run.json: a race, its machine, and the builds of its interpreters."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from race.saved.model import (
    SCHEMA,
    Amount,
    Contender,
    Count,
    Discipline,
    Figures,
    Limits,
    Name,
    Positive,
    Time,
)


class Build(Struct, frozen=True):
    """The build of an interpreter.

    `pgo` and `lto` say whether it has profile-guided and link-time optimisation; None where a
    distribution's build does not tell. `flags` are those of configure that name no path. `loop_us`
    is the time of a fixed loop of pure Python, in microseconds.
    """

    pgo: bool | None
    lto: bool | None
    flags: list[str]
    compiler: str
    loop_us: Amount

    @property
    def slow(self) -> bool:
        """Return whether it is known to lack one of the optimisations."""
        return self.pgo is False or self.lto is False

    @property
    def text(self) -> str:
        """Return with what it was optimised: "with PGO, without LTO"."""
        known = [
            f"with{'' if has else 'out'} {name}"
            for name, has in (("PGO", self.pgo), ("LTO", self.lto))
            if has is not None
        ]
        return ", ".join(known) or "a distribution's, which does not say how it is optimised"


class Interpreter(Struct, frozen=True):
    """A contender's interpreter: its version, the version of each package, its build."""

    python: str
    packages: dict[str, str] = {}
    build: Build | None = None


class Hardware(Struct, frozen=True):
    """The cores as the kernel describes them.

    `siblings` are lists of the hardware threads of one core, `caches` those of the first core with
    the cores that share them, `mitigations` the measure against each fault of the processor.
    `hypervisor` is its name, or None on a real machine.
    """

    siblings: list[str] = []
    caches: dict[str, str] = {}
    mitigations: dict[str, str] = {}
    hypervisor: str | None = None

    @property
    def threads(self) -> str:
        """Return which of the cores are hardware threads of one."""
        shared = [one for one in self.siblings if not one.isdecimal()]
        return f"{'; '.join(shared)} are of one core" if shared else "none that share a core"


class Probe(Struct, frozen=True):
    """The turns a second that a loop made on the first party's core, `alone` and `beside` a busy
    core.
    """

    alone: Positive
    beside: Positive


class OtherMachine(Struct, frozen=True, kw_only=True):
    """The machine of a party that ran on another one: its name for ssh, its hardware and system.

    `address` is where the party listened instead of on 127.0.0.1; for a generator where the server
    did, None if that was on another machine too.
    A server's has the `interpreter` of its checkout, and reaches databases here at `databases_at`.
    The other machine's clock was ahead by `clock_offset_us`, give or take `clock_uncertainty_us`.
    """

    name: Name
    address: Name | None = None
    cpu: str
    cores: Count
    pinned: list[int]
    kernel: str
    memory_bytes: Count
    python: str
    versions: dict[str, str | None] = {}
    clock_offset_us: float
    clock_uncertainty_us: Amount
    databases_at: Name | None = None
    interpreter: Interpreter | None = None


class Environment(Struct, frozen=True, kw_only=True):
    """The machine and versions of a race; `dirty`: files differed from the commit.

    `pinned` has the cores of each party here, `interpreters` is by contender's label, `machines`
    are those of parties that ran on other ones.
    """

    cpu: str | None = None
    cores: Count | None = None
    pinned: dict[str, list[int]] = {}
    kernel: str | None = None
    memory_bytes: Count | None = None
    governor: str | None = None
    commit: str | None = None
    dirty: bool | None = None
    versions: dict[str, str | None] = {}
    interpreters: dict[str, Interpreter] = {}
    hardware: Hardware | None = None
    probe: Probe | None = None
    machines: dict[str, OtherMachine] = {}

    @property
    def used_versions(self) -> dict[str, str | None]:
        """Return the versions of programs where they ran, whichever machine that was."""
        there = [one.versions for one in self.machines.values()]
        return {name: version for some in (self.versions, *there) for name, version in some.items()}


class Head(Struct, frozen=True, kw_only=True):
    """run.json: everything about a race but its cells.

    `race` is its name and that of its folder, `scenario` the scenario as loaded, `command` the
    words that repeat the race, `baseline` the label that others are compared with. `finished_at` is
    null while the race runs or after an interruption. `left_out` says who was asked for, or at what
    level, and could not run, and why; `unsupported` is what a contender has nothing for, by label
    and task, with the reason. `idle` is what the meter of the cores read before anything of the
    race ran: fractions `foreign` and `steal`, and for how many `seconds`. `connections` are those
    of another race, taken over instead of found: by task and pipeline depth ("good", "ugly x24").
    """

    schema: Literal[3] = SCHEMA
    race: Name
    discipline: Discipline
    scenario: dict[str, Any]
    limits: Limits = Limits()
    seed: int
    started_at: Time
    finished_at: Time | None = None
    command: list[str]
    environment: Environment
    contenders: list[Contender]
    baseline: str
    idle: Figures = {}
    left_out: list[str] = []
    unsupported: dict[str, dict[str, str]] = {}
    connections: dict[str, Annotated[int, Meta(ge=1)]] = {}

    @property
    def tested_machine(self) -> Environment | OtherMachine:
        """Return the machine of the party under test: this one or another one."""
        first = next(iter(self.discipline.parties), "")
        return self.environment.machines.get(first, self.environment)
