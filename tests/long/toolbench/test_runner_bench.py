"""The micro-check of the runner runs; what it finds is for a quiet machine (``bench``)."""

from __future__ import annotations

import subprocess
import sys

from runtime.paths import ROOT
from tests.support.site_server import Databases

SECONDS = 60.0


def test_the_micro_check_says_a_ratio_of_each_round_and_of_all(databases: Databases) -> None:
    databases.hold("postgres")
    command = [sys.executable, "-m", "tests.long.toolbench.runner_bench", "--rounds", "3"]
    done = subprocess.run(
        [*command, "--seconds", "0.05"],
        cwd=ROOT,
        env=databases.env(),
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    # 1 says that the ratio is low, which so few rounds do not know.
    assert (done.returncode in (0, 1), done.stderr) == (True, "")
    *rounds, last = done.stdout.splitlines()
    assert [line.split()[0] for line in rounds] == ["1", "2", "3"]
    assert last.startswith("runner to bare loop: ")
