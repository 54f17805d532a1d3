"""The relay's process: ``python -m race.web.link MILLISECONDS PATH`` or ``... HOST PORT``.

It says where it listens, in the same way as its target does, and passes on until SIGTERM.
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
    be_punctual()
    folder = tempfile.mkdtemp(prefix="link-")
    try:
        listener = listen(target, folder)
        name = listener.getsockname()
        here = [name] if isinstance(name, str) else [name[0], str(name[1])]
        print("\t".join([LISTENS, *here]), flush=True)
        Relay(listener, target, float(more) / 1e3).run()
    finally:
        shutil.rmtree(folder)
    return 0


def listen(target: Target, folder: str) -> socket.socket:
    """On a socket of the target's kind: a driver may do otherwise on another."""
    if isinstance(target, str):
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(f"{folder}/{Path(target).name}")
    else:
        listener = socket.create_server((HERE, 0))
    listener.listen(BACKLOG)
    return listener


def be_punctual() -> None:
    """A wire does not wait until a core is free: ahead of those who share it, where that is
    allowed. Without it the kernel wakes a sleeper up to 50 us late; for us, it need not.
    """
    ctypes.CDLL(None).prctl(PR_SET_TIMERSLACK, 1)
    with contextlib.suppress(OSError):
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))


def stop(number: int, frame: FrameType | None) -> NoReturn:
    """SIGTERM."""
    sys.exit(0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
