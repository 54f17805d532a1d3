"""The relay's process: `python -m race.web.link MILLISECONDS PATH` or `... HOST PORT`.

It prints its address, which is of the target's kind, and relays until SIGTERM.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import shutil
import signal
import socket
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from types import FrameType
from typing import NoReturn

from race.web.link import LISTENS
from race.web.link.relay import Relay, Target

HERE = "127.0.0.1"
PR_SET_TIMERSLACK = 29
BACKLOG = 512


def main(words: Sequence[str]) -> int:
    """Relay until SIGTERM."""
    signal.signal(signal.SIGTERM, stop)
    more, *place = words
    target: Target = place[0] if len(place) == 1 else (place[0], int(place[1]))
    raise_priority()
    folder = tempfile.mkdtemp(prefix="link-")
    try:
        listener = bound_like(target, folder)
        name = listener.getsockname()
        here = [name] if isinstance(name, str) else [name[0], str(name[1])]
        print("\t".join([LISTENS, *here]), flush=True)
        Relay(listener, target, float(more) / 1e3).run()
    finally:
        shutil.rmtree(folder)
    return 0


def bound_like(target: Target, folder: str) -> socket.socket:
    """Return a listening socket of the target's kind, as a driver may differ on another."""
    if isinstance(target, str):
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(f"{folder}/{Path(target).name}")
    else:
        listener = socket.create_server((HERE, 0))
    listener.listen(BACKLOG)
    return listener


def raise_priority() -> None:
    """Let the relay run as soon as it is due, if that is allowed, as a wire needs no core.

    By default the kernel may wake a sleeping process up to 50 us late.
    """
    ctypes.CDLL(None).prctl(PR_SET_TIMERSLACK, 1)
    with contextlib.suppress(OSError):
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))


def stop(number: int, frame: FrameType | None) -> NoReturn:
    """Handle SIGTERM."""
    sys.exit(0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
