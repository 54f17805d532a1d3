"""server.py made slower by a known share, to show that a race finds a difference of that size.

``python -m race.web.programs.slowed_server SHARE -e ENGINE -p PORT``. Every 2 ms the event loop
burns as much CPU time as makes the whole slower by SHARE: with 0.2, d seconds of work are followed
by d * 0.2 / (1 - 0.2) seconds of a busy loop, so that requests/s are 0.8 of what they were.
"""

from __future__ import annotations

import asyncio
import runpy
import sys
import time

from runtime.paths import ROOT

# Long pauses leave cold caches behind: what follows would be slower by more than SHARE.
TICK_SECONDS = 0.002


def slow_down(share: float) -> None:
    """Let every new event loop of asyncio waste a share of its time."""
    new_event_loop = asyncio.new_event_loop

    def slow_loop() -> asyncio.AbstractEventLoop:
        loop = new_event_loop()
        worked = time.thread_time()

        def burn() -> None:
            nonlocal worked
            end = time.thread_time() + (time.thread_time() - worked) * share / (1 - share)
            while time.thread_time() < end:
                pass
            worked = time.thread_time()
            loop.call_later(TICK_SECONDS, burn)

        loop.call_soon(burn)
        return loop

    asyncio.new_event_loop = slow_loop


if __name__ == "__main__":
    slow_down(float(sys.argv.pop(1)))
    runpy.run_path(str(ROOT / "server.py"), run_name="__main__")
