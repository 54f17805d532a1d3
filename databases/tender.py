"""A running user's care for its private database: where the keeper is gone, it brings another."""

from __future__ import annotations

import logging
import subprocess
import threading
import time
from pathlib import Path
from typing import Callable, Optional

from databases.database import DatabaseError
from databases.locks import is_locked

# Between two attempts where what was brought does not stay, at first and at last.
PAUSE_SECONDS = 0.5
MOST_PAUSE_SECONDS = 1.5
# Longer than this without a death, and the pauses begin anew.
STEADY_SECONDS = 60.0

LOG = logging.getLogger(__name__)


class Tender:
    """Looks whether there is a keeper: the kernel drops the lock of one that died in any way."""

    def __init__(self, name: str, home: Path, bring: Callable[[], None]) -> None:
        self._name = name
        self._lock = home / "keeper.lock"
        self._bring = bring
        self._thread: Optional[threading.Thread] = None
        self._pause = PAUSE_SECONDS
        self._tried_at = 0.0

    def look(self) -> None:
        """Cheap; never waits, never raises. A keeper is brought in a thread, as that takes time."""
        rested = time.monotonic() - self._tried_at
        if rested < self._pause or (self._thread is not None and self._thread.is_alive()):
            return
        try:
            if is_locked(self._lock):
                if rested > STEADY_SECONDS:
                    self._pause = PAUSE_SECONDS
                return
            # Nobody waits for it at the end of this process.
            self._thread = threading.Thread(target=self._try, daemon=True)
            self._thread.start()
        except (OSError, RuntimeError) as error:
            LOG.warning("the keeper of the private %s: %s", self._name, error)
        self._pause = min(2 * self._pause, MOST_PAUSE_SECONDS) if self._tried_at else self._pause
        self._tried_at = time.monotonic()

    def _try(self) -> None:
        try:
            self._bring()
        except (DatabaseError, OSError, subprocess.SubprocessError) as error:
            LOG.warning("there is no keeper of the private %s: %s", self._name, error)
        else:
            LOG.warning("the keeper of the private %s was gone, and is replaced", self._name)
