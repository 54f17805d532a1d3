"""Private databases of this project: started for the first user, stopped after the last one.

``join(name)`` returns a ``Handle``, for any name in ``databases.DATABASES``. A detached supervisor
process (``databases.supervisor``) starts the database, restarts it at the same address when it
dies, and stops it when nobody holds the lock of its users any more. The kernel releases a lock when
its holder ends, so a user that is killed counts as gone. If the supervisor itself dies, users that
run for long replace it (``Handle.check_supervisor``).
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Callable, Iterator, Optional

from databases import DATABASES, find
from databases.database import DatabaseError
from databases.home import clear_state, folder, read_state
from databases.locks import PROBE_SECONDS, is_locked, locked, open_lock
from databases.revival import SupervisorWatch
from databases.timeouts import TIMEOUTS
from runtime.child import unguarded
from runtime.interpreters import executable
from runtime.paths import ROOT


class Handle:
    """A user's hold on a private database. A process forked from the user shares the hold."""

    def __init__(self, name: str, url: str, users: int) -> None:
        self.url = url
        self._name = name
        self._users: Optional[int] = users
        home = folder(name)
        self._watch = SupervisorWatch(name, home, lambda: _replace_supervisor(name, home))

    @property
    def pid(self) -> int:
        """The present main process of the database; a restart changes it."""
        return _pid(self._name)

    def check_supervisor(self) -> None:
        """Replace the supervisor, and with it the database, if it has died. Return at once.

        Users that run for long call this twice a second. It is cheap and never raises.
        """
        self._watch.check()

    def leave(self) -> None:
        """Give up the hold. A forked process keeps its share."""
        users, self._users = self._users, None
        if users is not None:
            # Unlocking would release the shares of forked processes, too.
            os.close(users)


class EmbeddedHandle(Handle):
    """A user's hold on a database that runs in the user's process: nobody has to keep it."""

    def __init__(self, name: str, url: str) -> None:
        self.url = url
        self._name = name

    @property
    def pid(self) -> int:
        raise DatabaseError(f"{self._name} has no process of its own.")

    def check_supervisor(self) -> None:
        """Do nothing: there is no supervisor."""

    def leave(self) -> None:
        """Do nothing: nothing is held."""


def join(name: str) -> Handle:
    """Use the private database of that name, and start it if it does not run.

    Raises DatabaseError with one line within ``TIMEOUTS.start``, or ``TIMEOUTS.lock`` later if
    another process is starting or stopping it. It changes the environment of this process and its
    children: variables such as PGSERVICE, which would lead a driver to another database, are
    removed, and a relative VAR_DIR becomes absolute, since children run in other folders.
    """
    forget_settings(name)
    home = folder(name)
    if os.environ.get("VAR_DIR"):
        os.environ["VAR_DIR"] = str(home.parent)
    try:
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        if find(name).embedded:
            return EmbeddedHandle(name, find(name).start(home).url)
        with locked(home / "start.lock"):
            users = _hold_users(home)
            try:
                return Handle(name, _url(name, home), users)
            except BaseException:
                os.close(users)
                raise
    except (OSError, subprocess.TimeoutExpired) as error:
        raise DatabaseError(f"The private {name} database cannot use {home}: {error}") from None


def forget_settings(name: str) -> None:
    """Remove the environment variables that would lead a driver to another database."""
    prefix = find(name).settings
    for variable in [each for each in os.environ if prefix and each.startswith(prefix)]:
        del os.environ[variable]


@contextlib.contextmanager
def down(name: str) -> Iterator[None]:
    """Kill the database for the length of the block, then wait until it is back. For tests."""
    home = folder(name)
    with locked(home / "hold.lock"):
        with contextlib.suppress(ProcessLookupError):
            os.kill(_pid(name), signal.SIGKILL)
        _wait(name, home, lambda: not read_state(home), "did not end")
        yield
    _wait(name, home, lambda: bool(read_state(home)), "did not come back")


def _hold_users(home: Path) -> int:
    """Take a shared lock that lasts until this process and its forks have closed it."""
    users = open_lock(home / "users.lock")
    os.set_inheritable(users, True)
    fcntl.flock(users, fcntl.LOCK_SH)
    return users


def _url(name: str, home: Path) -> str:
    """Return the URL of the running database. The caller holds the start lock."""
    if not is_locked(home / "supervisor.lock"):
        clear_state(home)
        _spawn_supervisor(name, home)
    _wait(name, home, lambda: bool(read_state(home)), "did not start in time")
    return str(read_state(home)["url"])


def _replace_supervisor(name: str, home: Path) -> None:
    """Start a supervisor, which starts the database, unless another user has done so.

    It runs in a thread of its own, which moves to the cores of the former supervisor first, because
    the user may be pinned to others.
    """
    with locked(home / "start.lock", TIMEOUTS.replace):
        if not is_locked(home / "supervisor.lock"):
            cores = read_state(home).get("cores")
            if cores:
                os.sched_setaffinity(0, cores)
            clear_state(home)
            _spawn_supervisor(name, home)


def _spawn_supervisor(name: str, home: Path) -> None:
    # The current environment has what databases need; this interpreter may be an older one.
    current = executable()
    python = str(current) if current.exists() else sys.executable
    command = [python, "-m", "databases.supervisor", name, DATABASES[name].target]
    with (home / "supervisor.log").open("wb") as log:
        code = subprocess.call(
            command,
            cwd=str(ROOT),
            env=unguarded(),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
            timeout=TIMEOUTS.start,
        )
    if code:
        raise DatabaseError(f"The supervisor of {name} cannot run: see {home / 'supervisor.log'}")


def _wait(name: str, home: Path, done: Callable[[], bool], complaint: str) -> None:
    """Wait until done. Raise DatabaseError after an error or the death of the supervisor."""
    deadline = time.monotonic() + TIMEOUTS.start
    while True:
        supervised = is_locked(home / "supervisor.lock")
        state = read_state(home)
        if "error" in state:
            raise DatabaseError(state["error"])
        if done():
            return
        if not supervised:
            raise DatabaseError(f"The supervisor of {name} died: see {home / 'supervisor.log'}")
        if time.monotonic() > deadline:
            raise DatabaseError(f"The private {name} database {complaint}: see the logs in {home}")
        time.sleep(PROBE_SECONDS)


def _pid(name: str) -> int:
    pid = read_state(folder(name)).get("pid")
    if pid is None:
        raise DatabaseError(f"The private {name} database is not running.")
    return int(pid)
