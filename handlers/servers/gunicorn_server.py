"""gunicorn, which serves WSGI in threads and parses HTTP in Python."""

from __future__ import annotations

import logging
import os
import socket
from typing import Any, Callable

from gunicorn.app.base import BaseApplication
from gunicorn.glogging import Logger

from handlers.servers.gunicorn_internals import Worker
from handlers.site import Site
from handlers.timeouts import TIMEOUTS
from handlers.web import access_log, background, open_files
from handlers.web.lifecycle import NewLoop, ignore
from handlers.web.listen import Listen
from handlers.web.supervisor import Ready
from handlers.web.wsgi.application import Application

# Each answers one request at a time, and most of a page's time is spent waiting for the database.
THREADS = 32
LOGGER = "gunicorn.error"
MALFORMED = "Invalid request from ip="


class Embedded(BaseApplication):  # type: ignore[misc]
    """The site's application, as gunicorn loads it, with its options."""

    def __init__(self, app: Application, begun: Callable[[], None]) -> None:
        self._app = app
        self._begun = begun
        super().__init__()

    def load_config(self) -> None:
        for name, value in {
            "worker_class": "gthread",
            "threads": THREADS,
            "worker_connections": open_files.limit(),
            "keepalive": int(TIMEOUTS.idle),
            "graceful_timeout": int(TIMEOUTS.finish),
            # By default it believes what clients of this machine say of their address.
            "forwarded_allow_ips": "",
            "post_worker_init": lambda worker: self._begun(),
        }.items():
            self.cfg.set(name, value)

    def load(self) -> Application:
        return self._app


def note_malformed(record: logging.LogRecord) -> bool:
    """Filter gunicorn's log: note each request that it refused before the application saw it."""
    if MALFORMED in record.getMessage():
        access_log.note_malformed()
    return True


def quiet_log(config: Any) -> Logger:
    """Return gunicorn's log, without its remarks about clients."""
    if access_log.wanted():  # first, because the filters below drop the record
        logging.getLogger(LOGGER).addFilter(note_malformed)
    ignore(LOGGER, level=logging.WARNING, message=MALFORMED)
    # `site.failed` has logged what a page raised; the rest is about clients that left.
    ignore(LOGGER, Exception)
    # Some frameworks, such as Django, leave it to the server to send no body for a HEAD.
    ignore("gunicorn.http.wsgi", message="sent body bytes on a no-body response")
    config.set("errorlog", None)  # no handler of its own
    log = Logger(config)
    log.error_log.propagate = True
    return log


def serve(
    framework: Callable[[Site], Application],
    site: Site,
    listen: Listen,
    loop: NewLoop,
    workers: int,
    ready: Ready,
) -> int:
    """Serve until a signal, and return the exit status."""

    def answer(
        sock: socket.socket, started: Callable[[], None], stopped: Callable[[], None]
    ) -> None:
        app = Embedded(framework(site), started)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        worker = Worker(1, os.getppid(), [sock], app, 0, app.cfg, quiet_log(app.cfg))
        worker.stopped = stopped
        worker.init_process()

    return background.run(answer, site, listen, loop, workers, ready)
