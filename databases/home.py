"""The folder of a private database, and the file in which its supervisor describes it."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import tempfile
from pathlib import Path
from typing import Any, Dict

from databases.database import DatabaseError
from runtime.paths import ROOT

LONGEST_SOCKET_FOLDER = 70
TEMPORARY = Path("/tmp")  # noqa: S108  if TMPDIR names no suitable folder
# Other characters may have a meaning in a URL, in a list of folders, or to the database.
PLAIN = re.compile(r"[\w./-]*", re.ASCII)


def folder(name: str) -> Path:
    """Return the folder of a private database, in VAR_DIR or in ``var`` of the project."""
    return Path(os.environ.get("VAR_DIR") or ROOT / "var").resolve() / name


def socket_folder(home: Path) -> Path:
    """Return a folder for a Unix socket, whose path may have about 100 plain characters."""
    if _suits(home):
        return home
    digest = hashlib.sha256(os.fsencode(str(home))).hexdigest()[:16]
    temporary = Path(tempfile.gettempdir())
    short = (temporary if _suits(temporary) else TEMPORARY) / f"databases-{os.getuid()}-{digest}"
    short.mkdir(mode=0o700, exist_ok=True)
    found = short.lstat()
    if short.is_symlink() or found.st_uid != os.getuid() or found.st_mode & 0o077:
        raise DatabaseError(f"{short} must be a folder that belongs to you alone: remove it.")
    return short


def _suits(place: Path) -> bool:
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
