"""The guard's process: ``python -I -S race/machine/guard/__main__.py NAME WORD PID``.

It waits for the end of process PID, its parent. Then it ends every process that has WORD in the
environment variable NAME: with SIGTERM at once, with SIGKILL after KILL_SECONDS. Its stdin is the
pipe of ``up``; it imports nothing of the project, so that it starts at once.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import time

PIPE = 0
KILL_SECONDS = 3.0
PROBE_SECONDS = 0.05
# The guard ends when it found no process after each of these pauses. One look is not enough: a
# process between fork and exec may have closed the pipe and not show its new environment yet.
EMPTY_SECONDS = (0.2, 0.8)


def main(name: str, word: str, pid: int) -> None:
    """Wait for the parent's end, then end what it left."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    wait_for(pid)
    deadline, signalled, empty = time.monotonic() + KILL_SECONDS, set[int](), 0
    while empty < len(EMPTY_SECONDS):
        found = [*marked(name, word), *copies()]
        for one in found:
            if time.monotonic() > deadline:
                send(one, signal.SIGKILL)
            elif one not in signalled:
                signalled.add(one)
                send(one, signal.SIGTERM)
                send(one, signal.SIGCONT)
        time.sleep(PROBE_SECONDS if found else EMPTY_SECONDS[empty])
        empty = 0 if found else empty + 1


def wait_for(pid: int) -> None:
    """Wait for the end of a process that was our parent when we began."""
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    if os.getppid() == pid:  # else it has gone, and the number is another's
        select.select([descriptor], [], [])


def marked(name: str, word: str) -> list[int]:
    """Return the processes, other than this one, that have the word in their environment."""
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
    """Return the processes that were forked and have not called exec yet.

    They have no new environment, but still hold the other end of our pipe.
    """
    if select.select([PIPE], [], [], 0)[0]:
        return []
    ours = os.readlink(f"/proc/self/fd/{PIPE}")  # noqa: PTH115 - no pathlib, for a quick start
    return [pid for pid in processes() if ours in files(pid)]


def files(pid: int) -> set[str]:
    """Return the targets of a process's open descriptors."""
    folder, found = f"/proc/{pid}/fd", set()
    try:
        for number in os.listdir(folder):
            found.add(os.readlink(f"{folder}/{number}"))  # noqa: PTH115
    except OSError:
        return found
    return found


def processes() -> list[int]:
    """Return the ids of all other processes."""
    return [int(one) for one in os.listdir("/proc") if one.isdigit() and int(one) != os.getpid()]


def send(pid: int, number: int) -> None:
    """Send a signal, unless the process has ended."""
    try:
        os.kill(pid, number)
    except OSError:
        return


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
