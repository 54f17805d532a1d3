"""Replaces the supervisor of a private database when it has died, for users that run for long."""

from __future__ import annotations

import logging
import subprocess
import threading
import time
from pathlib import Path
from typing import Callable, Optional

from databases.database import DatabaseError
from databases.locks import is_locked

# The pause between two attempts, at first and at most, while new supervisors keep dying.
PAUSE_SECONDS = 0.5
MOST_PAUSE_SECONDS = 1.5
# After this long without a death the pause is the first one again.
STEADY_SECONDS = 60.0

LOG = logging.getLogger(__name__)


class SupervisorWatch:
    """Checks the lock that a supervisor holds: the kernel drops it, however the holder died."""

    def __init__(self, name: str, home: Path, replace: Callable[[], None]) -> None:
        self._name = name
        self._lock = home / "supervisor.lock"
        self._replace = replace
        self._thread: Optional[threading.Thread] = None
        self._pause = PAUSE_SECONDS
        self._tried_at = 0.0

    def check(self) -> None:
        """Start a new supervisor in a thread if there is none. Return at once, never raise."""
        elapsed = time.monotonic() - self._tried_at
        if elapsed < self._pause or (self._thread is not None and self._thread.is_alive()):
            return
        try:
            if is_locked(self._lock):
                if elapsed > STEADY_SECONDS:
                    self._pause = PAUSE_SECONDS
                return
            # A daemon thread: the end of this process does not wait for it.
            self._thread = threading.Thread(target=self._try, daemon=True)
            self._thread.start()
        except (OSError, RuntimeError) as error:
            LOG.warning("cannot check the supervisor of the private %s: %s", self._name, error)
        self._pause = min(2 * self._pause, MOST_PAUSE_SECONDS) if self._tried_at else self._pause
        self._tried_at = time.monotonic()

    def _try(self) -> None:
        try:
            self._replace()
        except (DatabaseError, OSError, subprocess.SubprocessError) as error:
            LOG.warning("cannot replace the supervisor of the private %s: %s", self._name, error)
        else:
            LOG.warning("the supervisor of the private %s had died and was replaced", self._name)
