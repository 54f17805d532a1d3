"""The supervisor of one private database: ``python -m databases.supervisor NAME TARGET``.

``databases.private`` starts it. TARGET names the database's object, as in the registry.
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
from databases.home import clear_state, folder, remove_socket_folder, write_state
from databases.locks import PROBE_SECONDS, open_lock, try_lock, unlock
from databases.timeouts import TIMEOUTS
from runtime.plugin import Plugin

POLL_SECONDS = 0.25
# Other processes take a shared lock for a moment to see whether there is a supervisor.
PROBED_SECONDS = 0.5
RESTARTS = 5
# The count of restarts begins anew after this long without a death.
STEADY_SECONDS = 60.0


def main(arguments: List[str]) -> int:
    """Become the supervisor, in the background. Return 0 if there is one already, too."""
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
    # The fork shares the lock, so that it is never free until the supervisor ends.
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
        """Run the database until its last user leaves, a signal comes, or it dies too often."""
        try:
            self._start_database()
            self._supervise()
        except (DatabaseError, OSError) as error:
            # On a full disk neither can be written; users replace the supervisor all the same.
            with contextlib.suppress(OSError):
                self._log(str(error))
                write_state(self._home, error=str(error), cores=self._cores)
            return 1
        finally:
            self._stop_database()
            remove_socket_folder(self._home)
            # The supervisor's lock is released first, so that whoever gets the start lock sees that
            # there is no supervisor.
            os.close(self._lock)
            os.close(self._start)
        return 0

    def _supervise(self) -> None:
        # If the last user has left, this ends with the start lock held, so that new users wait.
        while not self._is_signalled() and not self._last_user_left():
            if self._database is None:
                self._restart_database()
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

    def _restart_database(self) -> None:
        """Start the database again, after a pause and unless a test holds it down."""
        if time.monotonic() - self._died_at < TIMEOUTS.restart or self._held_down():
            return
        try:
            self._start_database()
        except DatabaseError as error:
            self._log(str(error))
            self._count_death()
            self._died_at = time.monotonic()

    def _held_down(self) -> bool:
        """Return whether a test keeps the database down."""
        if not try_lock(self._hold):
            return True
        unlock(self._hold)
        return False

    def _start_database(self) -> None:
        missing = self._kind.missing()
        if missing is not None:
            raise DatabaseError(missing)
        self._database = self._kind.start(self._home)
        write_state(self._home, url=self._database.url, pid=self._database.pid, cores=self._cores)

    def _stop_database(self) -> None:
        database, self._database = self._database, None
        if database is not None:
            clear_state(self._home)
            database.stop()

    def _last_user_left(self) -> bool:
        """Return whether nobody has held the users' lock for ``TIMEOUTS.grace``.

        It holds the start lock meanwhile, so that nobody joins, and keeps it if the result is True.
        """
        if not try_lock(self._start):
            self._used_at = time.monotonic()
            return False
        if not try_lock(self._users):
            self._used_at = time.monotonic()
        unlock(self._users)
        if time.monotonic() - self._used_at > TIMEOUTS.grace:
            return True
        unlock(self._start)
        return False

    def _is_signalled(self) -> bool:
        """Wait for a signal for POLL_SECONDS; return whether one came."""
        return bool(select.select([self._signals], [], [], POLL_SECONDS)[0])

    def _log(self, message: str) -> None:
        print(time.strftime("%Y-%m-%d %H:%M:%S"), message, file=sys.stderr, flush=True)


def is_running(pid: int) -> bool:
    """Return whether a process runs, and reap it if it is a dead child. A zombie does not run."""
    with contextlib.suppress(ChildProcessError):
        return os.waitpid(pid, os.WNOHANG) == (0, 0)
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return status.rpartition(")")[2].split()[0] not in "ZX"


def _signal_pipe() -> int:
    """Return a descriptor that is readable after SIGTERM or SIGINT."""
    reader, writer = os.pipe()

    def note(_number: int, _frame: Any) -> None:
        os.write(writer, b"!")

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, note)
    return reader


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
