"""`race doctor`: what is installed, what is missing and how to get it, how noisy it is here."""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import time

from rich.console import Console
from rich.table import Table

from race.commands import Command
from race.discipline import DISCIPLINES, Finding, discipline
from race.machine import calibrate, cores, describe
from race.saved.model import Limits
from race.scenario import DEFAULT_DISCIPLINE

LIMITS = Limits()
WATCH_SECONDS = 2.0
SPINS = 40
SPIN = 20_000
SIGNS = {True: "[green]ok", False: "[red]!!", None: "--"}


def arguments(parser: argparse.ArgumentParser) -> None:
    """None of its own."""


def run(options: argparse.Namespace) -> int:
    """Exit 0 when a race can run and would be believed, 1 otherwise."""
    found = [*_disciplines(), *_programs(), *_machine(), *_noise()]
    good = all(one.good is not False for one in found)
    if options.json:
        print(json.dumps({"good": good, "findings": [one._asdict() for one in found]}, indent=1))
        return 0 if good else 1
    table = Table(show_header=False, box=None)
    for one in found:
        table.add_row(SIGNS[one.good], one.subject, one.text)
    Console().print(table)
    return 0 if good else 1


def _disciplines() -> list[Finding]:
    return [one for name in DISCIPLINES for one in discipline(name).findings()]


def _programs() -> list[Finding]:
    found = []
    for name in ("taskset", "setpriv"):
        here = shutil.which(name)
        text = here or "not installed: apt-get install util-linux"
        found.append(Finding(name, here is not None, text))
    return found


def _machine() -> list[Finding]:
    number = len(cores.allowed())
    layout = cores.assign(discipline(DEFAULT_DISCIPLINE).parties)
    split = ", ".join(f"{name} {sorted(mine)}" for name, mine in layout.items())
    governor = describe.governor()
    advice = {None: "none to be seen", "performance": "performance"}
    text = advice.get(governor, f"{governor}: cpupower frequency-set -g performance")
    return [
        Finding("processor", True, describe.cpu_model()),
        Finding(
            "cores", number > 1, f"{number}: {split if number > 1 else 'nothing is told apart'}"
        ),
        Finding("governor", governor in advice, text),
    ]


def _noise() -> list[Finding]:
    """Watch an idle machine, then time the same work many times."""
    idle = calibrate.idle({"machine": frozenset(cores.allowed())}, WATCH_SECONDS)
    foreign, steal = idle["foreign"], idle["steal"]
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


COMMAND = Command("what is missing here, and how noisy this machine is", arguments, run)
