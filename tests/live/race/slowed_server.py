"""server.py made slower by a known share: proof that a race finds a difference of that size.

``python slowed_server.py SHARE -e ENGINE -p PORT``. Every 2 ms the event loop burns as much CPU
time as makes the whole slower by SHARE: with 0.2, d seconds of work are followed by
d * 0.2 / (1 - 0.2) seconds of a busy loop, so that requests/s are 0.8 of what they were.
"""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT))

import server  # noqa: E402 - the project's folder is on the path only now

# Long pauses leave cold caches behind: what follows would be slower by more than SHARE.
TICK_SECONDS = 0.002

new_event_loop = asyncio.new_event_loop


def slow_loop() -> asyncio.AbstractEventLoop:
    """An event loop that wastes a share of its time."""
    loop = new_event_loop()
    worked = time.thread_time()

    def burn() -> None:
        nonlocal worked
        end = time.thread_time() + (time.thread_time() - worked) * SHARE / (1 - SHARE)
        while time.thread_time() < end:
            pass
        worked = time.thread_time()
        loop.call_later(TICK_SECONDS, burn)

    loop.call_soon(burn)
    return loop


SHARE = float(sys.argv.pop(1))
asyncio.new_event_loop = slow_loop

if __name__ == "__main__":
    sys.exit(server.main(sys.argv[1:]))
