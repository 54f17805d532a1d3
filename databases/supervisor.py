"""The supervisor of one private database, run as ``python -m databases.supervisor NAME TARGET``.

See ``databases.private``, which starts it; TARGET is the database's in the registry.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys
import time
from pathlib import Path
from typing import Any, List, Optional

from databases.database import Database, DatabaseError, Running
from databases.home import folder, say, unsay
from databases.locks import PROBE_SECONDS, open_lock, try_lock, unlock
from runtime.plugin import Plugin

POLL_SECONDS = 0.25
# A server that is stopped and started again finds its database still there.
GRACE_SECONDS = 1.5
# Others look at the supervisor's lock for a moment to see whether there is a supervisor.
PROBED_SECONDS = 0.5
RESTART_SECONDS = 1.0
RESTARTS = 5
# Longer than this without a death, and the count of restarts begins anew.
STEADY_SECONDS = 60.0


def main(arguments: List[str]) -> int:
    """Become the supervisor, in the background. 0 also when there is one already."""
    name, target = arguments
    os.umask(0o077)
    home = folder(name)
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    lock = open_lock(home / "supervisor.lock")
    deadline = time.monotonic() + PROBED_SECONDS
    while not try_lock(lock):
        if time.monotonic() > deadline:
            return 0
        time.sleep(PROBE_SECONDS)
    # The lock is shared over the fork, so it is never free between here and the supervisor's end.
    if os.fork():
        os._exit(0)
    return DatabaseSupervisor(name, Plugin(target).load(), lock).run()


class DatabaseSupervisor:
    """Owns the database process from its first start to its end."""

    def __init__(self, name: str, database: Database, lock: int) -> None:
        self._name = name
        self._kind = database
        self._home = home = folder(name)
        self._lock = lock
        self._hold = open_lock(home / "hold.lock")
        self._start = open_lock(home / "start.lock")
        self._users = open_lock(home / "users.lock")
        self._database: Optional[Running] = None
        self._died_at = self._used_at = time.monotonic()
        self._deaths = 0
        self._signals = _signal_pipe()
        self._cores = sorted(os.sched_getaffinity(0))

    def run(self) -> int:
        """Keep the database until its last user left, SIGTERM, or one death too many."""
        try:
            self._start_database()
            self._keep()
        except (DatabaseError, OSError) as error:
            # On a full disk nothing can be said; running users replace the supervisor all the same.
            with contextlib.suppress(OSError):
                self._log(str(error))
                say(self._home, error=str(error), cores=self._cores)
            return 1
        finally:
            self._stop_database()
            # The supervisor's lock goes first: whoever gets the start lock must see this one gone.
            os.close(self._lock)
            os.close(self._start)
        return 0

    def _keep(self) -> None:
        """Ends with the start lock held when the last user left: newcomers wait, then start."""
        while not self._told_to_stop() and not self._last_user_left():
            if self._database is None:
                self._bring_back()
            elif not is_running(self._database.pid):
                self._log(f"process {self._database.pid} died")
                if not self._held_down():
                    self._count_death()
                self._died_at = time.monotonic()
                self._stop_database()

    def _count_death(self) -> None:
        steady = time.monotonic() - self._died_at > STEADY_SECONDS
        self._deaths = 1 if steady else self._deaths + 1
        if self._deaths > RESTARTS:
            raise DatabaseError(f"The private {self._name} database keeps dying: see {self._home}")

    def _bring_back(self) -> None:
        """Start it again after a while, unless a test holds it down."""
        if time.monotonic() - self._died_at < RESTART_SECONDS or self._held_down():
            return
        try:
            self._start_database()
        except DatabaseError as error:
            self._log(str(error))
            self._count_death()
            self._died_at = time.monotonic()

    def _held_down(self) -> bool:
        """Whether a test keeps the database away."""
        if not try_lock(self._hold):
            return True
        unlock(self._hold)
        return False

    def _start_database(self) -> None:
        missing = self._kind.missing()
        if missing is not None:
            raise DatabaseError(missing)
        self._database = self._kind.start(self._home)
        say(self._home, url=self._database.url, pid=self._database.pid, cores=self._cores)

    def _stop_database(self) -> None:
        database, self._database = self._database, None
        if database is not None:
            unsay(self._home)
            database.stop()

    def _last_user_left(self) -> bool:
        """Whether nobody has held the users' lock for GRACE_SECONDS.

        Asked with the start lock held, so that nobody joins meanwhile; on True it stays held.
        """
        if not try_lock(self._start):
            self._used_at = time.monotonic()
            return False
        if not try_lock(self._users):
            self._used_at = time.monotonic()
        unlock(self._users)
        if time.monotonic() - self._used_at > GRACE_SECONDS:
            return True
        unlock(self._start)
        return False

    def _told_to_stop(self) -> bool:
        """Waits POLL_SECONDS for a signal."""
        return bool(select.select([self._signals], [], [], POLL_SECONDS)[0])

    def _log(self, message: str) -> None:
        print(time.strftime("%Y-%m-%d %H:%M:%S"), message, file=sys.stderr, flush=True)


def is_running(pid: int) -> bool:
    """Whether the process lives; a dead child is reaped, a zombie of another parent is dead."""
    with contextlib.suppress(ChildProcessError):
        return os.waitpid(pid, os.WNOHANG) == (0, 0)
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return status.rpartition(")")[2].split()[0] not in "ZX"


def _signal_pipe() -> int:
    """Readable once SIGTERM or SIGINT came: a handler must not stop the database by itself."""
    reader, writer = os.pipe()

    def note(_number: int, _frame: Any) -> None:
        os.write(writer, b"!")

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, note)
    return reader


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
