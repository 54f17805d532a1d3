"""gunicorn with threads and one worker process, for all applications on WSGI."""

from __future__ import annotations

import socket
from collections.abc import Callable
from typing import Any

from gunicorn.app.base import BaseApplication

from race.web.programs.announce import announce


class Gunicorn(BaseApplication):  # type: ignore[misc]
    """gunicorn in this process, with its settings, around an application that a worker makes."""

    def __init__(self, make: Callable[[], Any], **settings: Any) -> None:
        self._make, self._settings = make, settings
        super().__init__()

    def load_config(self) -> None:
        for name, value in self._settings.items():
            self.cfg.set(name, value)

    def load(self) -> Any:
        return self._make()


def serve(name: str, make: Callable[[], Any], sock: socket.socket, **settings: Any) -> None:
    """Serve on a listening socket until SIGTERM."""
    address = sock.getsockname()
    Gunicorn(
        make,
        bind=f"fd://{sock.detach()}",
        workers=1,
        worker_class="gthread",
        keepalive=75,
        graceful_timeout=3,
        loglevel="warning",
        post_worker_init=lambda worker: announce(name, address),
        **settings,
    ).run()
