"""`race doctor`: what is installed, what is missing and how to get it, how noisy it is here."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import time
from dataclasses import asdict, dataclass

from rich.console import Console
from rich.table import Table

from race.machine import describe as environment
from race.machine import meters
from race.machine.cores import allowed, assign
from race.plan.scenario import Validity
from race.web import engines
from race.web.load import GENERATORS, generator

LIMITS = Validity()
WATCH_SECONDS = 2.0
SPINS = 40
SPIN = 20_000


@dataclass(frozen=True)
class Finding:
    """One line: `good` is False where something is missing or too noisy; `text` says what to do."""

    subject: str
    good: bool
    text: str


def run(options: argparse.Namespace) -> int:
    """Exit 0 when a race can run and would be believed, 1 otherwise."""
    found = [*_programs(), *_engines(), *_machine(), *_noise()]
    good = all(one.good for one in found)
    if options.json:
        print(json.dumps({"good": good, "findings": [asdict(one) for one in found]}, indent=1))
        return 0 if good else 1
    table = Table(show_header=False, box=None)
    for one in found:
        table.add_row("[green]ok" if one.good else "[red]!!", one.subject, one.text)
    Console().print(table)
    return 0 if good else 1


def _programs() -> list[Finding]:
    versions = environment.versions()
    found = []
    for name in GENERATORS:
        missing = generator(name).missing()
        if missing or versions.get(name):
            found.append(Finding(name, missing is None, missing or f"version {versions[name]}"))
    for name in ("tarantool", "postgres"):
        text = versions[name] or "not installed: make system env"
        found.append(Finding(name, versions[name] is not None, text))
    for name in ("taskset", "setpriv"):
        here = shutil.which(name)
        found.append(
            Finding(name, here is not None, here or "not installed: apt-get install util-linux")
        )
    return found


def _engines() -> list[Finding]:
    entries = engines.listed()
    runs = sum(one.problem is None for one in entries)
    problems = sorted({one.problem for one in entries if one.problem})
    pythons = ", ".join(engines.found_pythons())
    return [
        Finding("engines", runs > 0, f"{runs} of {len(entries)} run here"),
        *(Finding("engines", False, problem) for problem in problems),
        Finding("interpreters", True, f'{pythons}; more with make env PYTHONS="3.8 3.12"'),
    ]


def _machine() -> list[Finding]:
    layout = assign()
    number = len(allowed())
    split = layout.describe() if layout.pinned else "nothing can be told apart"
    governor = environment.governor()
    return [
        Finding("processor", True, environment.cpu_model()),
        Finding("cores", number > 1, f"{number}: {split}"),
        Finding("governor", governor in (None, "performance"),
                {None: "none to be seen", "performance": "performance"}.get(
                    governor, f"{governor}: cpupower frequency-set -g performance")),
    ]  # fmt: skip


def _noise() -> list[Finding]:
    """Watch an idle machine, then time the same work many times."""
    cores = allowed()
    before, own = meters.core_times(cores), meters.cpu_ns(os.getpid())
    time.sleep(WATCH_SECONDS)
    passed = meters.core_time_between(before, meters.core_times(cores))
    foreign = meters.foreign_fraction(passed, meters.cpu_ns(os.getpid()) - own)
    steal = passed.steal / passed.total
    times = [_spin() for _ in range(SPINS)]
    spread = statistics.stdev(times) / statistics.mean(times)
    return [
        Finding("foreign CPU", foreign <= LIMITS.foreign, _against(foreign, LIMITS.foreign)),
        Finding("steal", steal <= LIMITS.steal, _against(steal, LIMITS.steal)),
        Finding("steadiness", spread <= 0.1, f"the same work varies by {spread:.1%}"),
    ]


def _spin() -> float:
    began = time.perf_counter()
    total = 0
    for number in range(SPIN):
        total += number
    return time.perf_counter() - began


def _against(value: float, limit: float) -> str:
    return f"{value:.1%} now; a race allows {limit:.0%}"
