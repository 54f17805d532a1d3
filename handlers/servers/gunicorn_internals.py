"""The parts of gunicorn that are not public, in one place."""

from __future__ import annotations

import socket
from typing import Any, Callable

from gunicorn.workers.gthread import ThreadWorker

from handlers.web import open_files

# The version of each lock that this module was checked with.
CHECKED = {"current": "27.0.1"}


class Worker(ThreadWorker):  # type: ignore[misc]
    """gunicorn's worker with threads, in a process that is not its arbiter's.

    When it is told to end it stops listening and calls ``stopped``; gunicorn's own worker listens
    until its clients have left. At the limit of open files it accepts nothing until one closes;
    gunicorn's own worker ends there. The thread that answered a client waits up to two seconds for
    it to close its side; gunicorn's own waits in the thread that accepts for all.
    """

    stopped: Callable[[], None]

    def accept(self, listener: socket.socket) -> None:
        try:
            super().accept(listener)
        except BlockingIOError:
            pass  # `open_files.ListeningSocket` raises it without a number
        except OSError as error:
            if error.errno not in open_files.SHORTAGES:
                raise
            # Until one of these has closed, when `set_accept_enabled` is called.
            self.worker_connections = max(self.nr_conns, 1)

    def handle(self, conn: Any) -> Any:
        kept = super().handle(conn)
        if not kept:
            conn.close(graceful=True)
            conn.close = lambda graceful=False: None  # `finish_request` calls it once more
        return kept

    def set_accept_enabled(self, enabled: Any) -> None:
        super().set_accept_enabled(enabled)
        if enabled:
            self.worker_connections = self.cfg.worker_connections
        if not self.alive:
            for listener in self.sockets:
                listener.close()
            self.stopped()
