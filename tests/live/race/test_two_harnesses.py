"""Saving: a line on the disk for each cell, a full disk, a torn line, two at once."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from race.errors import RaceError
from race.saved import writer as writing
from race.saved.reader import RUN_FILE
from race.saved.writer import Writer
from race.timeouts import TIMEOUTS
from tests.support.records import contender, head

HOLD = """
import sys, time
from pathlib import Path
from race.saved.writer import Writer
from tests.support.records import contender, head
with Writer(Path(sys.argv[1]), head(contender("a"))):
    print("held", flush=True)
    time.sleep(60)
"""
HEAD = head(contender("a"))


def test_the_second_harness_in_a_folder_is_told_of_the_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "TIMEOUTS", TIMEOUTS._replace(results_lock=0.1))
    words = [sys.executable, "-c", HOLD, str(tmp_path / "r")]
    with subprocess.Popen(words, stdout=subprocess.PIPE) as first:
        try:
            assert first.stdout is not None
            assert first.stdout.readline() == b"held\n"
            before = (tmp_path / "r" / RUN_FILE).stat().st_ino
            expected = rf"^r is run by another harness \(process {first.pid}\): wait for its end$"
            with pytest.raises(RaceError, match=expected):
                Writer(tmp_path / "r", HEAD)
            assert (tmp_path / "r" / RUN_FILE).stat().st_ino == before
        finally:
            first.kill()
    with Writer(tmp_path / "r", HEAD):  # whatever ended the first
        pass


def test_who_lets_go_in_a_moment_is_waited_for(tmp_path: Path) -> None:
    first = Writer(tmp_path / "r", HEAD)
    if not os.fork():
        time.sleep(0.3)  # shares the lock, as a child does between its fork and its program
        os._exit(0)
    first.__exit__(None, None, None)
    with Writer(tmp_path / "r", HEAD):
        pass
    os.wait()
