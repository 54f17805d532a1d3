"""Profiles two contenders of a saved race, in cells of their own under the load of the race."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field

from msgspec.structs import replace

from race.discipline import Start, Subject
from race.errors import CellFailed, RaceError
from race.machine import cores
from race.machine.describe import number, output
from race.machine.meters import Meter, meters
from race.plan.forecast import Plan
from race.run.measure import Measurement, measure
from race.run.race import layout_of
from race.saved.model import Contender, Load, Work
from race.why import profiler, syscalls, threads
from race.why.record import Profile, ProfileCell

SECONDS = 4.0
CALLS_SECONDS = 2.0
WARM_SECONDS = 1.0
ROUNDS = 6
FEWEST_ROUNDS = 3
NOTHING_SEEN = profiler.Looks({}, 0, False)


@dataclass
class Explain:
    """Runs the cells; both contenders start anew in each round. `told` takes each cell, and
    `said` a line about what cannot be said.
    """

    plan: Plan
    contenders: Sequence[Contender]
    work: Work
    seed: int
    told: Callable[[ProfileCell], None]
    said: Callable[[str], None]
    no_functions: str = field(default_factory=lambda: profiler.missing() or "")
    no_calls: str = ""
    _meters: Mapping[str, Meter] = field(default_factory=meters)

    def run(self, race: str, rounds: int) -> Profile:
        """Return the profile. RaceError if a contender does not start, or must not be looked at."""
        chance = random.Random(self.seed)  # noqa: S311 - no secret
        cells: list[ProfileCell] = []
        with (
            self.plan.discipline.open(self.plan.scenario, self.contenders) as start,
            cores.kept_off(layout_of(self.plan)),
        ):
            for number in range(1, rounds + 1):
                for one in chance.sample(self.contenders, len(self.contenders)):
                    cells.append(self._cell(start, one, number))
                    self.told(cells[-1])
        first, second = (one.label for one in self.contenders)
        return Profile(
            race=race,
            labels=(first, second),
            task=self.work.task,
            load=self.work.load,
            hertz=profiler.HERTZ,
            profiler=_version(),
            no_functions=self.no_functions,
            no_calls=self.no_calls,
            cells=cells,
        )

    def _cell(self, start: Start, one: Contender, number: int) -> ProfileCell:
        try:
            subject = start(one)
            try:
                subject.check(self.work.task)
                subject.drive(Work(self.work.task, _lasting(self.work.load, WARM_SECONDS)))
                cell = self._profiled(subject, one.label, number)
                return replace(cell, calls=self._calls(subject)) if self.no_functions else cell
            finally:
                subject.close()
        except CellFailed as failure:
            raise RaceError(f"{one.label}: {failure}") from None

    def _profiled(self, subject: Subject, label: str, number: int) -> ProfileCell:
        party, under_test = next(iter(subject.parties().items()))
        if under_test.pid is None or under_test.machine is not None:
            raise RaceError(f"{label} runs on another machine, where nobody can look at it")
        looks = NOTHING_SEEN
        with ExitStack() as stack:
            seen = self._looking(stack, under_test.pid)
            before = threads.now(under_test.pid)
            measured = measure(subject, self._meters, self.work)
            spent = threads.used(before, threads.now(under_test.pid))
            if seen is not None:
                looks = self._looks(seen)
        return _counted(label, number, party, measured, spent, looks)

    def _looking(self, stack: ExitStack, pid: int) -> profiler.Profiler | None:
        """Begin to look at functions; from a process without any on, nobody is looked at."""
        if self.no_functions:
            return None
        away = cores.resting(layout_of(self.plan))
        try:
            return stack.enter_context(profiler.looking(pid, away))
        except profiler.CannotLook as failure:
            self._without_functions(failure)
            return None

    def _without_functions(self, why: Exception) -> None:
        self.no_functions = str(why)
        self.said(f"functions cannot be seen, threads are compared: {why}")

    def _looks(self, seen: profiler.Profiler) -> profiler.Looks:
        try:
            return seen.looks()
        except profiler.CannotLook as failure:
            self._without_functions(failure)
            return NOTHING_SEEN

    def _calls(self, subject: Subject) -> Mapping[str, float]:
        """Return the system calls of a unit, under the same load; none where they cannot be
        counted, whatever the reason: the CPU time is known without them.
        """
        under_test = next(iter(subject.parties().values()))
        if self.no_calls or under_test.pid is None:
            return {}
        work = Work(self.work.task, _lasting(self.work.load, CALLS_SECONDS))
        try:
            with syscalls.counting(under_test.pid, cores.resting(layout_of(self.plan))) as seen:
                measured = measure(subject, self._meters, work)
                count = _answered(measured)
                return {name: calls / count for name, calls in seen.counts().items()}
        except (syscalls.CannotCount, CellFailed, RaceError) as failure:
            self.no_calls = str(failure)
            self.said(f"system calls cannot be counted: {failure}")
            return {}


def _answered(measured: Measurement) -> int:
    """Return the number of units that went well. CellFailed if nothing did."""
    if measured.died or not measured.sample.count:
        raise CellFailed(measured.died or "nothing was answered")
    return measured.sample.count


def _counted(
    label: str,
    number: int,
    party: str,
    measured: Measurement,
    spent: Mapping[str, int],
    looks: profiler.Looks,
) -> ProfileCell:
    """Return a cell with the CPU time of a unit. CellFailed if nothing was answered."""
    count = _answered(measured)
    return ProfileCell(
        label=label,
        round=number,
        count=count,
        seconds=measured.sample.seconds,
        cpu_us=measured.meters["cpu_ns"].get(party, 0) / count / 1000,
        threads={name: used / count / 1000 for name, used in spent.items()},
        stacks=looks.stacks,
        errors=looks.errors,
        late=looks.late,
    )


def _lasting(load: Load, seconds: float) -> Load:
    return replace(load, duration_s=seconds)


def _version() -> str | None:
    found = profiler.program()
    return number(output([found, "--version"])) if found else None
