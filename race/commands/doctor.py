"""`race doctor`: what is installed, what is missing and how to get it, how noisy it is here."""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import time

from rich.table import Column, Table
from rich.text import Text

from race.commands import FAILED, Command
from race.console import Console
from race.discipline import DISCIPLINES, Finding, discipline
from race.machine import calibrate, calm, cores, describe
from race.machine.cores import Layout
from race.plan import read
from race.scenario import DEFAULT_DISCIPLINE, DEFAULT_SCENARIO
from runtime.interpreters import executable, present_versions
from runtime.paths import INSTALLED

WATCH_SECONDS = 2.0
BURN_SECONDS = 1.0
SPINS = 40
SPIN = 20_000
STEADY = 0.1
FOREIGN, STEAL = DISTURBING = ("foreign CPU", "steal")
SIGNS = {True: ("ok", "green"), False: ("!!", "red"), None: ("--", "")}
QUIETER = "the host gives these cores to others too: race at a quieter time, or on another machine"
ALONE = "other programs use these cores: end them, `top` shows which"
SLOW = "Python code runs up to a third slower, which flatters what is compiled"
PYENV = "PYTHON_CONFIGURE_OPTS='--enable-optimizations --with-lto' pyenv install --force"
UV = "uv python install"
ROUNDS = "small differences will stay undecided; more rounds help"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add no arguments but an epilog."""
    parser.epilog = (
        "Exit status: 0 when a default race can run here, 1 when something it needs is missing. "
        "Noise is reported; it does not change the exit status."
    )


def run(options: argparse.Namespace) -> int:
    """Exit 1 when something is missing that a default race needs."""
    found = [*_disciplines(), *_programs(), *_builds(), *_machine(), *_noise()]
    lacking = [one.subject for one in found if one.needed and one.good is False]
    if options.json:
        listed = [one._asdict() for one in found]
        print(json.dumps({"good": not lacking, "findings": listed}, indent=1))
    else:
        _show(found, lacking)
    return FAILED if lacking else 0


def _show(found: list[Finding], lacking: list[str]) -> None:
    table = Table("", "", Column(overflow="fold"), show_header=False, box=None)
    for one in found:
        table.add_row(Text(*SIGNS[one.good]), one.subject, one.text)
    console = Console()
    console.print(table)
    said = f"cannot run: {', '.join(lacking)}" if lacking else "can run"
    if not lacking and any(one.good is False and one.subject in DISTURBING for one in found):
        said += ", but nothing will count"
    race = "A race" if INSTALLED else "A default race (`race run`)"
    console.print(f"\n{race} {said}.", highlight=False, markup=False)


def _disciplines() -> list[Finding]:
    return [one for name in DISCIPLINES for one in discipline(name).findings()]


def _programs() -> list[Finding]:
    found = []
    for name in ("taskset", "setpriv"):
        here = shutil.which(name)
        text = here or "not installed: apt-get install util-linux"
        found.append(Finding(name, here is not None, text, True))
    return found


def _builds() -> list[Finding]:
    """Return how the interpreters of the environments were built.

    A wheel is installed to race programs of others, which have interpreters of their own.
    """
    found = []
    for version in () if INSTALLED else present_versions():
        current = version == describe.current_python()
        build = describe.built(executable(None if current else version))
        if build is not None:
            text = f"{build.text}, loop {build.loop_us:.0f} us"
            text += f": {SLOW}: {_faster(version)} {version} && make env" if build.slow else ""
            found.append(Finding(f"CPython {version}", not build.slow, text))
    return found


def _faster(version: str) -> str:
    """Return the command that installs an optimised build: uv downloads one, pyenv compiles it."""
    # The README names pyenv's CPython 3.7, which is newer than uv's.
    return UV if version != "3.7" and shutil.which("uv") else PYENV


def _machine() -> list[Finding]:
    number = len(cores.allowed())
    layout = cores.assign(discipline(DEFAULT_DISCIPLINE).parties)
    governor = describe.governor()
    advice = {None: "none to be seen", "performance": "performance"}
    text = advice.get(governor, f"{governor}: cpupower frequency-set -g performance")
    return [
        Finding("processor", True, describe.cpu_model()),
        Finding("cores", number > 1, f"{number}: {_in_words(layout)}"),
        Finding("governor", governor in advice, text),
    ]


def _in_words(layout: Layout) -> str:
    """Return who runs where: "server on core 0, generator and database on core 1"."""
    names: dict[frozenset[int], list[str]] = {}
    for name, mine in layout.items():
        names.setdefault(mine, []).append(name)
    if frozenset() in names:
        return "all on the same one, so nobody can say who is saturated"
    return ", ".join(
        f"{' and '.join(who)} on core{'s' * (len(mine) > 1)} {', '.join(map(str, sorted(mine)))}"
        for mine, who in names.items()
    )


def _noise() -> list[Finding]:
    """Watch the measured cores at rest, then busy, then time the same work many times."""
    layout = cores.assign(discipline(DEFAULT_DISCIPLINE).parties)
    used = frozenset[int]().union(*layout.values()) or frozenset(cores.allowed())
    foreign = calibrate.idle({"machine": used}, WATCH_SECONDS)["foreign"]
    # A core at rest shows no steal.
    steal = calm.burn({"machine": used}, BURN_SECONDS)["steal"]
    times = [_spin() for _ in range(SPINS)]
    spread = statistics.stdev(times) / statistics.mean(times)
    limits = read.load(DEFAULT_SCENARIO).limits
    return [
        _level(FOREIGN, foreign, limits.foreign, ALONE),
        _level(STEAL, steal, limits.steal, QUIETER),
        _level("steadiness", spread, STEADY, ROUNDS),
    ]


def _spin() -> float:
    began = time.perf_counter()
    total = 0
    for number in range(SPIN):
        total += number
    return time.perf_counter() - began


def _level(subject: str, value: float, limit: float, advice: str) -> Finding:
    """Return a noise against its limit in the default race; what is shown is judged."""
    shown = round(100 * value, 1)
    good = shown <= 100 * limit
    text = f"{shown:.1f} %, limit {100 * limit:g} %"
    return Finding(subject, good, text if good else f"{text}: {advice}")


COMMAND = Command("what is missing here, and how noisy this machine is", arguments, run)
