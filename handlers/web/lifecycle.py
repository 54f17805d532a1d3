"""Start, signals and end of a framework that runs on an event loop of ours."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
import socket
from typing import Awaitable, Callable, Optional, Type

from handlers.site import Site
from handlers.timeouts import TIMEOUTS
from handlers.web import client_timeouts, open_files
from handlers.web.listen import Listen
from handlers.web.supervisor import Life, Ready, supervise
from runtime import lock

PAUSE_SECONDS = 0.02

NewLoop = Callable[[], asyncio.AbstractEventLoop]
# A function that accepts connections on a socket. It returns another, which stops accepting and
# waits for requests in flight.
Start = Callable[[socket.socket], Awaitable[Callable[[], Awaitable[None]]]]


def ignore(
    logger: str, *errors: Type[BaseException], level: Optional[int] = None, message: str = ""
) -> None:
    """Drop records of a logger that clients cause, as they could fill the log.

    A record is dropped that carries one of ``errors``, has ``level`` or a lower one, and contains
    ``message`` before or after its arguments are filled in. What is not given is not compared.
    """

    def is_ours(record: logging.LogRecord) -> bool:
        if errors and not (record.exc_info and isinstance(record.exc_info[1], errors)):
            return True
        if level is not None and record.levelno > level:
            return True
        return message not in str(record.msg) and message not in record.getMessage()

    logging.getLogger(logger).addFilter(is_ours)


async def finished(done: Callable[[], bool]) -> bool:
    """Wait until ``done``, at most ``TIMEOUTS.finish`` seconds, and return whether it is."""
    for _ in range(int(TIMEOUTS.finish / PAUSE_SECONDS)):
        if done():
            return True
        await asyncio.sleep(PAUSE_SECONDS)
    return done()


def run(
    start: Start,
    site: Site,
    listen: Listen,
    loop: NewLoop,
    workers: int,
    ready: Ready,
    apart: bool = False,
) -> int:
    """Serve until SIGTERM or SIGINT, and return the exit status.

    One worker is this process itself, unless it is to be ``apart``. Several are processes with a
    socket each on the same port, because an event loop accepts all waiting connections of a shared
    socket at once, so the first worker to wake up would get them all.
    """
    if workers == 1 and not apart:
        _live(site, loop, start, listen.socket, Life(0, True, ready))
        return 0
    listen.spread(workers)

    def work(life: Life) -> None:
        _live(site, loop, start, listen.keep(life.number), life)

    return supervise(work, listen, workers, ready)


def _live(site: Site, new_loop: NewLoop, start: Start, sock: socket.socket, life: Life) -> None:
    """Run the event loop of a process that answers, from its start to its end."""
    loop = new_loop()
    asyncio.set_event_loop(loop)
    try:
        loop.run_until_complete(_serve(site, start, sock, life))
    finally:
        _end_tasks(loop)
        loop.run_until_complete(loop.shutdown_asyncgens())
        asyncio.set_event_loop(None)
        loop.close()


def _end_tasks(loop: asyncio.AbstractEventLoop) -> None:
    """Cancel the requests that are left, whose clients stopped in the middle of one."""
    tasks = asyncio.all_tasks(loop)
    for task in tasks:
        task.cancel()
    if tasks:
        loop.run_until_complete(asyncio.wait(tasks, timeout=TIMEOUTS.cancel))


async def _serve(site: Site, start: Start, sock: socket.socket, life: Life) -> None:
    lock.tell()
    loop, stop = asyncio.get_event_loop(), asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    try:
        await site.open(lenient=not life.first, refresh=life.number == 0)
        ignore("asyncio", message=open_files.ASYNCIO_STOPS)
        finish = await start(sock)
        client_timeouts.enforce(sock, loop)
        life.started()
        await stop.wait()
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(finish(), TIMEOUTS.finish + 1)
    finally:
        await site.close()
