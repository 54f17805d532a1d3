"""The guard's process: ``python -I -S race/machine/guard/__main__.py NAME WORD PID``, with the pipe
of ``up`` as its stdin. It imports nothing of ours.

It waits for the end of process PID, its parent, then ends whoever has WORD in the environment
variable NAME: SIGTERM at once, SIGKILL for who is there after PATIENCE_SECONDS.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import time

PIPE = 0
PATIENCE_SECONDS = 3.0
LOOK_SECONDS = 0.05
# How often nobody must be found, and how long after each: one that closed the pipe may not run its
# program yet, and shows no word before.
EMPTY_SECONDS = (0.2, 0.8)


def main(name: str, word: str, pid: int) -> None:
    """Wait, and leave nobody."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    wait_for(pid)
    deadline, told, empty = time.monotonic() + PATIENCE_SECONDS, set[int](), 0
    while empty < len(EMPTY_SECONDS):
        found = [*marked(name, word), *copies()]
        for one in found:
            if time.monotonic() > deadline:
                send(one, signal.SIGKILL)
            elif one not in told:
                told.add(one)
                send(one, signal.SIGTERM)
                send(one, signal.SIGCONT)
        time.sleep(LOOK_SECONDS if found else EMPTY_SECONDS[empty])
        empty = 0 if found else empty + 1


def wait_for(pid: int) -> None:
    """Until a process is gone that was our parent when we began."""
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    if os.getppid() == pid:  # else it has gone, and the number is another's
        select.select([descriptor], [], [])


def marked(name: str, word: str) -> list[int]:
    """Who has the word, but us."""
    found = []
    begin = name.encode() + b"="
    for pid in processes():
        try:
            with open(f"/proc/{pid}/environ", "rb") as file:  # noqa: PTH123 - nothing to import
                variables = file.read().split(b"\0")
        except OSError:  # ended meanwhile, or another user's
            continue
        words = (one[len(begin) :].split() for one in variables if one.startswith(begin))
        if any(word.encode() in each for each in words):
            found.append(pid)
    return found


def copies() -> list[int]:
    """Who was forked and has run no program of its own yet: it holds the other end of our pipe."""
    if select.select([PIPE], [], [], 0)[0]:
        return []
    ours = os.readlink(f"/proc/self/fd/{PIPE}")  # noqa: PTH115 - no pathlib, for a quick start
    return [pid for pid in processes() if ours in files(pid)]


def files(pid: int) -> set[str]:
    """What a process has open."""
    folder, found = f"/proc/{pid}/fd", set()
    try:
        for number in os.listdir(folder):
            found.add(os.readlink(f"{folder}/{number}"))  # noqa: PTH115
    except OSError:
        return found
    return found


def processes() -> list[int]:
    """All but us."""
    return [int(one) for one in os.listdir("/proc") if one.isdigit() and int(one) != os.getpid()]


def send(pid: int, number: int) -> None:
    """A signal, where somebody is left to take it."""
    try:
        os.kill(pid, number)
    except OSError:
        return


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
