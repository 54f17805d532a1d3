"""Small real races in a process of their own, what can happen to them, and refused commands."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO

import psutil
import pytest

from race.cli import main
from race.saved.reader import RUN_FILE, SavedRace, load
from runtime.paths import ROOT
from tests.support.site_server import environment, until

SECONDS = 100.0

SCENARIO = """
title = "A small race"
engines = {engines}
pages = {pages}
rounds = 1

[load]
connections = 10
duration_s = {duration}
pipeline = {pipeline}
max_connections = 10

[warmup]
window_s = 0.2
windows = 1

"""

LIMITS = """
[limits]
# The machine that runs the tests has other things to do: what is tested is not its quiet.
steal = 1.0
foreign = 1.0
samples = 1
little = 9.9
errors = 0.5
reruns = 0
"""


def scenario(
    folder: Path,
    engines: list[str],
    pages: list[str],
    duration: float = 0.3,
    pipeline: list[int] | None = None,
    more: str = "",
) -> Path:
    """A scenario file in a folder."""
    path = folder / "small.toml"
    text = SCENARIO.format(
        engines=engines, pages=pages, duration=duration, pipeline=pipeline or [1]
    )
    path.write_text(text.replace("'", '"') + LIMITS + more)
    return path


class Race:
    """`race ...` as a person starts it; `end` leaves nothing behind."""

    def __init__(
        self,
        words: list[str],
        saved: Path,
        env: Mapping[str, str] | None = None,
        before: Callable[[], None] | None = None,
    ) -> None:
        """`before` runs in the new process before the command."""
        self.saved = saved
        self._out: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - closed by `end`
        self.process = subprocess.Popen(
            [sys.executable, "-m", "race", *words, "--results", str(saved)],
            stdin=subprocess.DEVNULL,
            stdout=self._out,
            stderr=subprocess.STDOUT,
            cwd=ROOT,
            env=dict(env) if env else environment(),
            preexec_fn=before,  # noqa: PLW1509 - one thread, one system call
        )

    def __enter__(self) -> Race:
        return self

    def __exit__(self, *error: object) -> None:
        below = self.children()
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        for child in below:
            if child.is_running():
                child.kill()
        self._out.close()

    def children(self) -> list[psutil.Process]:
        """The processes below it."""
        try:
            return psutil.Process(self.process.pid).children(recursive=True)
        except psutil.NoSuchProcess:
            return []

    def child(self, word: str) -> psutil.Process:
        """A child with that word in its command line, as soon as there is one."""
        return until(lambda: self._child(word), SECONDS, f"no child {word}: {self.text()}")  # type: ignore[no-any-return]

    def _child(self, word: str) -> psutil.Process | None:
        for child in self.children():
            try:
                if (
                    any(word in part for part in child.cmdline())
                    and child.cmdline()[0] != "setpriv"
                ):
                    return child
            except psutil.Error:  # ended between two looks
                continue
        return None

    def saved_race(self) -> SavedRace:
        """The only race that was saved."""
        (folder,) = (path.parent for path in self.saved.glob(f"*/{RUN_FILE}"))
        return load(folder)

    def wait_for_cells(self, number: int) -> None:
        """Wait until so many are saved."""

        def enough() -> bool:
            lines = [path.read_bytes().count(b"\n") for path in self.saved.glob("*/cells.jsonl")]
            return sum(lines) >= number

        until(enough, SECONDS, f"no {number} cells: {self.text()}")

    def wait(self) -> int:
        """Its exit status."""
        return self.process.wait(SECONDS)

    def send(self, number: signal.Signals) -> None:
        """A signal to the process alone."""
        self.process.send_signal(number)

    def text(self) -> str:
        """All that it wrote, without a line break where a line was too long."""
        size = os.fstat(self._out.fileno()).st_size
        return os.pread(self._out.fileno(), size, 0).decode()


def refused(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """Run a command that is used wrongly and return the only line of its error."""
    try:
        status: object = main(list(words))
    except SystemExit as end:
        status = end.code
    out, error = capsys.readouterr()
    assert (status, out) == (2, "")
    (line,) = error.splitlines()
    return line
