"""The folder of a private database, and the file in which its supervisor describes it."""

from __future__ import annotations

import contextlib
import json
import os
import re
import stat
import tempfile
from pathlib import Path
from typing import Any, Dict, Optional

from runtime.paths import var

LONGEST_SOCKET_FOLDER = 70
TEMPORARY = Path("/tmp")  # noqa: S108  if TMPDIR names no suitable folder
# The file with the folder of the sockets, if that is elsewhere.
SOCKETS = "sockets"
PREFIX = "databases-"
# Other characters may have a meaning in a URL, in a list of folders, or to the database.
PLAIN = re.compile(r"[\w./-]*", re.ASCII)


def folder(name: str) -> Path:
    """Return the folder of a private database, in ``var``."""
    return var() / name


def socket_folder(home: Path) -> Path:
    """Return a folder for a Unix socket, whose path may have about 100 plain characters.

    If ``home`` is unsuitable, the folder has a random name, which the file ``sockets`` in ``home``
    keeps while the database lives.
    """
    if suits(home):
        return home
    noted = _noted(home)
    if noted is not None:
        return noted
    made = tempfile.mkdtemp(prefix=PREFIX, dir=str(_short_folder()))
    (home / SOCKETS).write_text(made)
    return Path(made)


def remove_socket_folder(home: Path) -> None:
    """Remove the folder that ``socket_folder`` made, once nobody uses the database any more."""
    if suits(home):
        return
    noted = _noted(home)
    if noted is None:
        return
    with contextlib.suppress(OSError):
        for path in noted.iterdir():
            # PostgreSQL has a lock beside its socket, which stays if it is killed.
            if path.is_socket() or path.suffix == ".lock":
                path.unlink()
        noted.rmdir()
        (home / SOCKETS).unlink()


def _noted(home: Path) -> Optional[Path]:
    """Return the folder of the note in ``home``, unless somebody else made it.

    The note may have come with files from elsewhere, and name any folder.
    """
    with contextlib.suppress(OSError, ValueError):
        noted = Path((home / SOCKETS).read_text())
        if noted.is_absolute() and noted.name.startswith(PREFIX) and _is_ours(noted):
            return noted
    return None


def _short_folder() -> Path:
    """Return the user's folder for sockets if there is one, else one for temporary files."""
    own = Path(os.environ.get("XDG_RUNTIME_DIR") or "relative")
    if own.is_absolute() and suits(own) and _is_ours(own):
        return own
    temporary = Path(tempfile.gettempdir())
    return temporary if suits(temporary) else TEMPORARY


def _is_ours(place: Path) -> bool:
    """Return whether a folder belongs to this user alone."""
    try:
        found = place.lstat()
    except OSError:
        return False
    private = stat.S_ISDIR(found.st_mode) and not found.st_mode & 0o077
    return private and found.st_uid == os.geteuid()


def suits(place: Path) -> bool:
    """Return whether sockets can be in a folder: its path is short, of plain characters."""
    path = str(place)
    return len(os.fsencode(path)) <= LONGEST_SOCKET_FOLDER and bool(PLAIN.fullmatch(path))


def read_state(home: Path) -> Dict[str, Any]:
    """Return the state that the supervisor wrote; empty if no database runs.

    It has either "url" and "pid" or "error", and the "cores" of the supervisor.
    """
    try:
        text = (home / "state.json").read_text()
    except FileNotFoundError:
        return {}
    state: Dict[str, Any] = json.loads(text)
    return state


def write_state(home: Path, **state: Any) -> None:
    """Replace the state as a whole. It ends with the machine, so nothing is synced to the disk."""
    fresh = home / "state.json.new"
    fresh.write_text(json.dumps(state))
    fresh.replace(home / "state.json")


def clear_state(home: Path) -> None:
    """Remove the state: no database runs."""
    with contextlib.suppress(FileNotFoundError):
        (home / "state.json").unlink()
