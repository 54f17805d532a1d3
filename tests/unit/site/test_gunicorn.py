"""gunicorn's worker when open files are short."""

from __future__ import annotations

import errno
import os
import selectors
from typing import Any

from gunicorn.config import Config

from handlers.servers.gunicorn_internals import Worker


class Short:
    """A listening socket for which there is no open file left."""

    def accept(self) -> Any:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    def setblocking(self, flag: bool) -> None:
        """Do nothing."""


class Poller:
    """A selector that nothing happens on."""

    def register(self, fileobj: Any, events: int, data: Any) -> None:
        assert events == selectors.EVENT_READ

    def unregister(self, fileobj: Any) -> None:
        """Do nothing."""


def test_a_shortage_of_files_limits_the_clients_no_longer_than_it_lasts() -> None:
    config = Config()
    listener: Any = Short()
    worker = Worker(1, 0, [listener], None, 0, config, None)
    worker.poller, worker.nr_conns = Poller(), 3
    worker.set_accept_enabled(True)
    worker.accept(listener)
    assert worker.worker_connections == 3
    worker.set_accept_enabled(False)
    worker.set_accept_enabled(True)
    worker.tmp.close()
    assert worker.worker_connections == config.worker_connections > 3
