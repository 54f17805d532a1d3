"""The agent: the part of the harness that runs on another machine, on CPython 3.9 or newer.

It travels over the connection (`race.machine.remote.host`) with the modules that it imports from
there, so it imports the standard library alone beside them. It reads a
question from each line of its stdin and answers with a line. When a program that it started ends,
it says so unasked. When its stdin ends or nothing is asked for SILENT_SECONDS, it ends everything
that it started, removes its folder and ends itself: the harness is gone then.
"""

from __future__ import annotations

import json
import os
import platform
import re
import select
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
import time
from pathlib import Path
from typing import Any

from race.machine.proc import clocks, in_order, read_cores, tree
from race.machine.remote.program import Program
from race.machine.remote.reach import dial
from race.machine.trees import READINGS, pin_tree

SILENT_SECONDS = 900.0
SAY_SECONDS = 60.0
"""The time for the harness to read what is said."""
FOLDERS = ("~/.cargo/bin", "~/go/bin")
"""Folders of programs that a shell without a terminal may not have on its PATH."""


class Agent:
    """Answers questions, each by the method of its name."""

    def __init__(self) -> None:
        self._programs: dict[int, Program] = {}
        self._count = 0
        self._folder = tempfile.mkdtemp(prefix="race-host-")

    def hello(self) -> dict[str, Any]:
        """Return what the machine is, and the connection as sshd names it."""
        with open("/proc/cpuinfo") as lines:  # noqa: PTH123
            model = re.search(r"^model name\s*: (.*)$", lines.read(), re.MULTILINE)
        free = sysconfig.get_config_var("Py_GIL_DISABLED")
        return {
            "cpu": model[1] if model else platform.machine(),
            "cores": in_order(os.sched_getaffinity(0)),
            "kernel": platform.release(),
            "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
            "python": platform.python_version() + ("t" if free else ""),
            "connection": os.environ.get("SSH_CONNECTION", "").split(),
        }

    def clock(self) -> int:
        """Return the clock, in nanoseconds since 1970."""
        return time.time_ns()

    def which(self, program: str) -> str | None:
        """Return the path of a program."""
        return shutil.which(program)

    def output(self, words: list[str], seconds: float) -> list[Any]:
        """Return the exit status of a program, started in the folder, and what it prints to stdout
        and to stderr.
        """
        done = subprocess.run(
            words,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=seconds,
            check=False,
            cwd=self._folder,
        )
        return [done.returncode, done.stdout.strip(), done.stderr.strip()]

    def put(self, files: dict[str, str]) -> str:
        """Write files into the folder that is removed at the end, and return it."""
        for name, text in files.items():
            path = Path(self._folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return self._folder

    def start(
        self, words: list[str], cores: list[int], seconds: float | None, env: dict[str, str]
    ) -> list[int]:
        """Start a program that may run for so many seconds, if any; return its number and its
        process id. `env` is added to the environment.
        """
        self._count += 1
        made = self._programs[self._count] = Program(words, cores, seconds, self._folder, env)
        return [self._count, made.pid]

    def said(self, number: int) -> str:
        """Return what a program that runs has written to stdout, at most the first 64 kB."""
        return self._programs[number].said() if number in self._programs else ""

    def send(self, number: int, what: int) -> None:
        """Send a signal to a program, unless it has ended."""
        if number in self._programs:
            self._programs[number].send(what)

    def end(self, number: int) -> None:
        """End a program, without saying so."""
        if number in self._programs:
            self._programs.pop(number).end()

    def read_cores(self, cores: list[int]) -> Any:
        """Return the time of cores."""
        return read_cores(cores)

    def clocks(self) -> Any:
        """Return the CPU time of all processes that are not ours; None where not all are seen."""
        return clocks(frozenset(tree(os.getpid())))

    def pin(self, pid: int, cores: list[int]) -> None:
        """Pin a process tree to cores."""
        pin_tree(tree(pid), cores)

    def read_tree(self, what: str, pid: int | None) -> Any:
        """Return a reading of a process tree."""
        return READINGS[what](pid or 0)

    def dial(self, host: str, port: int, times: int) -> list[int]:
        """Return the nanoseconds of some TCP connections."""
        return dial(host, port, times)

    def traffic(self) -> list[int]:
        """Return the bytes received and sent since boot, on all networks but loopback."""
        received = sent = 0
        with open("/proc/net/dev") as lines:  # noqa: PTH123
            for line in list(lines)[2:]:
                name, _, rest = line.partition(":")
                if name.strip() != "lo":
                    received, sent = (received + int(rest.split()[0]), sent + int(rest.split()[8]))
        return [received, sent]

    def serve(self) -> None:
        """Answer until stdin ends, or nothing comes for too long while no program runs."""
        unread, heard = b"", time.monotonic()
        while self._programs or time.monotonic() < heard + SILENT_SECONDS:
            pidfds = {one.pidfd: number for number, one in self._programs.items()}
            ready = select.select([0, *pidfds], [], [], 1.0)[0]
            for number in [pidfds[one] for one in ready if one in pidfds]:
                said = self._programs.pop(number).ended()
                _say({"ended": number, **said})
            for one in self._programs.values():
                one.bound_log()
                if time.monotonic() > one.deadline:
                    one.send(signal.SIGKILL)
            if 0 in ready:
                some = os.read(0, 65536)
                if not some:
                    return
                heard, unread = time.monotonic(), unread + some
                *lines, unread = unread.split(b"\n")
                for line in filter(None, lines):
                    _say(self._answer(line))

    def _answer(self, line: bytes) -> dict[str, Any]:
        question, words = json.loads(line)
        try:
            return {"answer": getattr(self, question)(*words)}
        except (OSError, ValueError, subprocess.SubprocessError) as error:
            return {"refused": str(error)}

    def close(self) -> None:
        """End every program and remove the folder."""
        try:
            for one in self._programs.values():
                one.send(signal.SIGTERM)
            for one in self._programs.values():
                one.end()
        finally:
            shutil.rmtree(self._folder, ignore_errors=True)


def _say(what: dict[str, Any]) -> None:
    """Write one line; BrokenPipeError if nobody reads it any more."""
    os.set_blocking(1, False)
    left = memoryview(json.dumps(what).encode() + b"\n")
    while left:
        if not select.select([], [1], [], SAY_SECONDS)[1]:
            raise BrokenPipeError
        left = left[os.write(1, left) :]


def _stop(number: int, frame: Any) -> None:
    """Handle a signal: the first one ends the agent, later ones are ignored."""
    for each in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(each, signal.SIG_IGN)
    sys.exit(0)


def main() -> None:
    """Serve the harness at the other end of stdin and stdout."""
    for each in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(each, _stop)
    more = os.pathsep.join(os.path.expanduser(folder) for folder in FOLDERS)  # noqa: PTH111
    os.environ["PATH"] = f"{os.environ.get('PATH', os.defpath)}{os.pathsep}{more}"
    agent = Agent()
    try:
        agent.serve()
    except BrokenPipeError:
        return
    finally:
        agent.close()
