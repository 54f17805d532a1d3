"""Start, signals and end, once for every framework that runs on an event loop of ours."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
from typing import Awaitable, Callable, Type

from handlers.site import Site

# How long requests in flight may take to finish after SIGTERM or Ctrl-C.
FINISH_SECONDS = 5.0
LOOK_SECONDS = 0.02
# How long what is cancelled after that may take to see it.
CANCEL_SECONDS = 1.0

NewLoop = Callable[[], asyncio.AbstractEventLoop]
# Starts to accept; returns what stops accepting and waits for requests in flight.
Start = Callable[[], Awaitable[Callable[[], Awaitable[None]]]]


def ignore(logger: str, *errors: Type[BaseException]) -> None:
    """Keep errors that clients cause out of a framework's log: each is a traceback at will."""

    def is_ours(record: logging.LogRecord) -> bool:
        return not (record.exc_info and isinstance(record.exc_info[1], errors))

    logging.getLogger(logger).addFilter(is_ours)


async def finished(done: Callable[[], bool]) -> bool:
    """Ask until what is in flight is done, for FINISH_SECONDS at most; whether it is."""
    for _ in range(int(FINISH_SECONDS / LOOK_SECONDS)):
        if done():
            return True
        await asyncio.sleep(LOOK_SECONDS)
    return done()


def run(site: Site, new_loop: NewLoop, start: Start, ready: Callable[[], None]) -> None:
    """Serve until SIGTERM or SIGINT. ``ready`` is called once connections are accepted."""
    loop = new_loop()
    asyncio.set_event_loop(loop)
    try:
        loop.run_until_complete(_serve(site, loop, start, ready))
    finally:
        _end_tasks(loop)
        loop.run_until_complete(loop.shutdown_asyncgens())
        asyncio.set_event_loop(None)
        loop.close()


def _end_tasks(loop: asyncio.AbstractEventLoop) -> None:
    """Cancel what is left: requests of clients that fell silent in the middle of one."""
    tasks = asyncio.all_tasks(loop)
    for task in tasks:
        task.cancel()
    if tasks:
        loop.run_until_complete(asyncio.wait(tasks, timeout=CANCEL_SECONDS))


async def _serve(
    site: Site, loop: asyncio.AbstractEventLoop, start: Start, ready: Callable[[], None]
) -> None:
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    try:
        await site.open()
        finish = await start()
        ready()
        await stop.wait()
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(finish(), FINISH_SECONDS + 1)
    finally:
        await site.close()
