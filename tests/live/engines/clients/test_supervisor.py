"""The supervisor replaces a worker that died, and gives up if workers keep dying."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys

from handlers.web.supervisor import MOST_FAILED_STARTS
from runtime.paths import ROOT

# A server whose workers live as told; what each life says goes to the standard error.
PROGRAM = """
import os, sys, time
from handlers.web.supervisor import supervise

class Listen:
    def close(self):
        pass

LIVES = {lives!r}
BORN = time.monotonic()
number = os.memfd_create("lives")
# The standard error of a worker is closed to native code.
told = os.dup(2)

def work(life):
    lived = os.fstat(number).st_size
    os.write(number, b"x")
    os.write(told, b"life %d at %.2f\\n" % (lived, time.monotonic() - BORN))
    how = LIVES[min(lived, len(LIVES) - 1)]
    if how != "vain":
        life.started()
    if how == "stay":
        os.write(told, b"stays\\n")
        os.kill(os.getppid(), 15)
        time.sleep(60)
    os._exit(3)

sys.exit(supervise(work, Listen(), 1, lambda: None))
"""


# The pause before a life grows by RESTART with each short life, up to LONGEST.
RESTART, LONGEST = 0.02, 0.1


def run(*lives: str) -> subprocess.CompletedProcess[str]:
    """Run a server whose workers live like that, one after the other, the last kind for ever."""
    command = [sys.executable, "-c", PROGRAM.format(lives=list(lives))]
    env = {**os.environ, "SITE_TIMEOUTS": f"restart={RESTART},longest_restart={LONGEST}"}
    return subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=30, check=False, env=env
    )


def test_a_worker_that_served_is_always_replaced_and_soon() -> None:
    deaths = MOST_FAILED_STARTS + 3
    ended = run(*["dies"] * deaths, "stay")
    assert ended.returncode == 0, ended.stderr
    assert "stays" in ended.stderr
    times = [float(line.split()[-1]) for line in ended.stderr.splitlines() if "life" in line]
    assert len(times) == deaths + 1
    pauses = [later - sooner for sooner, later in itertools.pairwise(times)]
    assert all(
        min(RESTART * number, LONGEST) - 0.01 < pause for number, pause in enumerate(pauses, 1)
    )
    assert max(pauses) < LONGEST + 0.2


def test_workers_that_never_serve_end_the_server() -> None:
    ended = run("dies", "vain")
    assert ended.returncode == 1
    assert ended.stderr.count("life ") == 1 + MOST_FAILED_STARTS
    assert "giving up" in ended.stderr.splitlines()[-1]


def test_only_lives_in_a_row_are_counted() -> None:
    ended = run("dies", *["vain"] * (MOST_FAILED_STARTS - 1), "dies", "vain")
    assert ended.returncode == 1
    assert ended.stderr.count("life ") == 2 * MOST_FAILED_STARTS + 1
