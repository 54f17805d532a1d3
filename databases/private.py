"""Private databases of this project: started for the first user, stopped after the last one.

``join(name)`` returns a ``Handle``, for any name in ``databases.DATABASES``. A detached supervisor
process (``databases.supervisor``) owns the database: it starts it, starts it again at the same
address when it dies, and stops it when nobody holds the users' lock any more. The kernel drops
a lock with its last holder, so a killed user counts as gone, and so does a killed supervisor: users
that run for long replace it (``Handle.check_supervisor``). Standard library only.
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
from databases.home import folder, state, unsay
from databases.locks import PROBE_SECONDS, is_locked, locked, open_lock
from databases.revival import SupervisorWatch
from runtime.child import unguarded
from runtime.interpreters import executable
from runtime.paths import ROOT

START_SECONDS = 60.0
REVIVE_SECONDS = 5.0


class Handle:
    """A user's hold on a private database; a process forked from the user shares the hold."""

    def __init__(self, name: str, url: str, users: int) -> None:
        self.url = url
        self._name = name
        self._users: Optional[int] = users
        home = folder(name)
        self._watch = SupervisorWatch(name, home, lambda: _revive(name, home))

    @property
    def pid(self) -> int:
        """The database's main process now: it changes when the supervisor had to start it again."""
        return _pid(self._name)

    def check_supervisor(self) -> None:
        """Replace the supervisor, and with it the database, if it has died. Return at once.

        Users that run for long call this twice a second. It is cheap and never raises.
        """
        self._watch.check()

    def leave(self) -> None:
        """Give up the hold. Closing, not unlocking: a forked process keeps its share."""
        users, self._users = self._users, None
        if users is not None:
            os.close(users)


def join(name: str) -> Handle:
    """Use the private database of that name, and start it when nobody runs it.

    Raises DatabaseError with one line within START_SECONDS (LOCK_SECONDS more when another
    process is just starting or stopping it).

    From then on this process and its children have no variables in their environment that lead a
    driver elsewhere, such as PGSERVICE: they are meant for a database of the user's. And a relative
    VAR_DIR is absolute, as the supervisor and other children run in other folders.
    """
    forget_settings(name)
    home = folder(name)
    if os.environ.get("VAR_DIR"):
        os.environ["VAR_DIR"] = str(home.parent)
    try:
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
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
    """Drop what would lead a driver of this process or of its children elsewhere: see ``join``."""
    prefix = find(name).settings
    for variable in [each for each in os.environ if prefix and each.startswith(prefix)]:
        del os.environ[variable]


@contextlib.contextmanager
def down(name: str) -> Iterator[None]:
    """For tests: kill the database, keep it away inside the block, wait for it to be back after."""
    home = folder(name)
    with locked(home / "hold.lock"):
        with contextlib.suppress(ProcessLookupError):
            os.kill(_pid(name), signal.SIGKILL)
        _wait(name, home, lambda: not state(home), "did not end")
        yield
    _wait(name, home, lambda: bool(state(home)), "did not come back")


def restart(name: str) -> None:
    """For tests: kill the database and wait until the supervisor has started it again."""
    with down(name):
        pass


def _hold_users(home: Path) -> int:
    """A shared lock for as long as this process, or one forked from it, has it open."""
    users = open_lock(home / "users.lock")
    os.set_inheritable(users, True)
    fcntl.flock(users, fcntl.LOCK_SH)
    return users


def _url(name: str, home: Path) -> str:
    """The address of the running database; call it with the start lock held."""
    if not is_locked(home / "supervisor.lock"):
        unsay(home)
        _spawn_supervisor(name, home)
    _wait(name, home, lambda: bool(state(home)), "did not start in time")
    return str(state(home)["url"])


def _revive(name: str, home: Path) -> None:
    """Another supervisor, unless somebody else has brought one; it starts the database by itself.

    In a thread of its own, which moves to the cores of the one before: the user may be pinned.
    """
    with locked(home / "start.lock", REVIVE_SECONDS):
        if not is_locked(home / "supervisor.lock"):
            cores = state(home).get("cores")
            if cores:
                os.sched_setaffinity(0, cores)
            unsay(home)
            _spawn_supervisor(name, home)


def _spawn_supervisor(name: str, home: Path) -> None:
    """The current environment runs the supervisor: what databases need is installed in that one."""
    own = executable()
    python = str(own) if own.exists() else sys.executable
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
            timeout=START_SECONDS,
        )
    if code:
        raise DatabaseError(f"The supervisor of {name} cannot run: see {home / 'supervisor.log'}")


def _wait(name: str, home: Path, done: Callable[[], bool], complaint: str) -> None:
    """Probe until done; the supervisor's error or death, or START_SECONDS, ends it."""
    deadline = time.monotonic() + START_SECONDS
    while True:
        supervisor = is_locked(home / "supervisor.lock")
        if "error" in state(home):
            raise DatabaseError(state(home)["error"])
        if done():
            return
        if not supervisor:
            raise DatabaseError(f"The supervisor of {name} died: see {home / 'supervisor.log'}")
        if time.monotonic() > deadline:
            raise DatabaseError(f"The private {name} database {complaint}: see the logs in {home}")
        time.sleep(PROBE_SECONDS)


def _pid(name: str) -> int:
    pid = state(folder(name)).get("pid")
    if pid is None:
        raise DatabaseError(f"The private {name} database is not running.")
    return int(pid)
