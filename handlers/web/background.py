"""The life of a process whose pages run in threads: start, background work, end."""

from __future__ import annotations

import asyncio
import socket
import threading
from typing import Any, Callable, Coroutine

from handlers.site import Site
from handlers.web import client_timeouts
from handlers.web.lifecycle import NewLoop
from handlers.web.listen import Listen
from handlers.web.supervisor import Life, Ready, supervise
from runtime import lock

# A function that answers on a socket until SIGTERM. It calls the second argument when it begins,
# and the third when it has stopped accepting.
Answer = Callable[[socket.socket, Callable[[], None], Callable[[], None]], None]


class Background:
    """An event loop in a thread: it reads the statistics, cleans the database, checks clients."""

    def __init__(self, new_loop: NewLoop) -> None:
        self.loop = new_loop()
        # A daemon, so that it never keeps a process that fails from ending.
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        asyncio.set_event_loop(self.loop)
        self.loop.run_forever()

    def do(self, work: Coroutine[Any, Any, Any]) -> Any:
        """Run a coroutine there, and return its result or raise its error here."""
        return asyncio.run_coroutine_threadsafe(work, self.loop).result()


def run(
    answer: Answer, site: Site, listen: Listen, loop: NewLoop, workers: int, ready: Ready
) -> int:
    """Serve in worker processes until SIGTERM or SIGINT, and return the exit status."""
    listen.spread(workers)

    def work(life: Life) -> None:
        _live(answer, site, listen.keep(life.number), loop, life)

    return supervise(work, listen, workers, ready)


def _live(answer: Answer, site: Site, sock: socket.socket, loop: NewLoop, life: Life) -> None:
    lock.tell()
    background = Background(loop)

    async def begin() -> client_timeouts.ClientTimeouts:
        await site.open(lenient=not life.first, refresh=life.number == 0)
        return client_timeouts.enforce(sock, background.loop)

    try:
        clients = background.do(begin())

        def stopped() -> None:
            background.loop.call_soon_threadsafe(clients.end_silent)

        answer(sock, life.started, stopped)
    finally:
        background.do(site.close())
