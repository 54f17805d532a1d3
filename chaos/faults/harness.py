"""The harness killed at random moments of a race."""

from __future__ import annotations

import os
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from chaos.lab import Fault, Lab, until
from chaos.seen import Seen
from race.saved.reader import RUN_FILE, ResultsError, load
from runtime.paths import ROOT

KILLS = 50
SHORT = 4
AT_ONCE = 2
GONE_SECONDS = 15.0
RACE_SECONDS = 90.0
ENGINES = ("aiohttp-memory-one", "sanic-tarantool-one")
# kill -9 most of all; the others may be caught, and tidied up after.
SIGNALS = (signal.SIGKILL,) * 4 + (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
MARK = "CHAOS_MARK"

SCENARIO = """
title = "A race that is killed"
engines = {engines}
pages = ["ugly", "good"]
rounds = 1

[load]
connections = 10
duration_s = 0.3
max_connections = 10

[warmup]
window_s = 0.2
windows = 1

[limits]
steal = 1.0
foreign = 1.0
samples = 1
little = 9.9
errors = 0.5
reruns = 0
"""


def scenario(folder: Path, engines: Sequence[str] = ENGINES) -> Path:
    """A small race as a file."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "small.toml"
    path.write_text(SCENARIO.format(engines=list(engines)).replace("'", '"'))
    return path


def command(*words: str | Path) -> list[str]:
    """`race ...` as a person starts it."""
    return [sys.executable, "-m", "race", *map(str, words)]


def marked(mark: str) -> list[int]:
    """Living processes that were started, by whomever, with this mark in their environment."""
    numbers = [name for name in os.listdir("/proc") if name.isdigit()]
    return [int(name) for name in numbers if _has(Path("/proc", name), mark.encode())]


def _has(process: Path, mark: bytes) -> bool:
    try:
        return mark in (process / "environ").read_bytes()
    except OSError:  # ended meanwhile, or somebody else's
        return False


def run(lab: Lab) -> Iterator[Seen]:
    """One whole race tells how long it takes; then each is killed somewhere in that time."""
    folder = lab.folder / "harness"
    path = scenario(folder)
    began = time.monotonic()
    whole = subprocess.run(
        command("run", path, "--results", folder / "whole"),
        capture_output=True,
        text=True,
        timeout=RACE_SECONDS,
        cwd=ROOT,
        check=False,
    )
    if whole.returncode:
        yield Seen("race run", "", f"not tried: {whole.stderr.strip()[-200:]}")
        return
    length = time.monotonic() - began
    dice = lab.dice("harness")
    kills = lab.times(KILLS, SHORT)
    # While two run at once, each takes longer.
    moments = [dice.uniform(0.0, AT_ONCE * length) for _ in range(kills)]
    signals = [signal.SIGKILL, *(dice.choice(SIGNALS) for _ in range(kills - 1))]
    each = list(zip(range(kills), moments, signals, strict=True))
    ends = lab.apart(lambda one: killed(lab, path, *one), each, AT_ONCE)
    wrong = [line for _, line in ends if line]
    recovery = [seconds for seconds, _ in ends if seconds is not None]
    lab.say(f"harness: {kills} kills, {len(wrong)} went wrong")
    by_9 = signals.count(signal.SIGKILL)
    text = f"{by_9} of them kill -9; recovery is the end of its last process"
    yield Seen("race run", f"{kills} kills", text, recovery, wrong=wrong)


def killed(
    lab: Lab, path: Path, number: int, moment: float, how: signal.Signals
) -> tuple[float | None, str]:
    """Start a race, kill the harness then; how long its processes outlived it, or what was wrong.

    The private databases are its own (VAR_DIR), so that their supervisors are its children too.
    """
    lab.go_on()
    mine = lab.folder / f"harness-{number}"
    mark = f"{MARK}={secrets.token_hex(16)}"
    env = {**os.environ, MARK: mark.partition("=")[2], "VAR_DIR": str(mine / "var")}
    harness = subprocess.Popen(
        command("run", path, "--results", mine / "results"),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=env,
        cwd=ROOT,
    )
    what = f"{how.name} after {moment:.2f} s"
    try:
        time.sleep(moment)
        harness.send_signal(how)
        harness.wait(RACE_SECONDS)
        began = time.monotonic()
        until(lambda: not marked(mark), GONE_SECONDS, pause=0.05)
    except (subprocess.TimeoutExpired, TimeoutError):
        left = marked(mark)
        lines = {_command(pid) for pid in left}
        for pid in left:
            os.kill(pid, signal.SIGKILL)
        harness.wait()
        return None, f"{what}: still there: {', '.join(sorted(lines))}"
    gone = time.monotonic() - began
    return gone, _torn(mine / "results", what)


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ").strip()[-80:]
    except OSError:
        return "ended meanwhile"


def _torn(results: Path, what: str) -> str:
    """What cannot be read of the results that it left."""
    for found in results.glob(f"*/{RUN_FILE}"):
        try:
            load(found.parent)
        except ResultsError as error:
            return f"{what}: {error}"
    return ""


FAULT = Fault(
    "a killed harness",
    "No process outlives it by more than 15 s, whatever the signal and the moment, and the cells "
    "that it had saved can be read.",
    1800.0,
    run,
)
