"""Where a private database lives, and what its supervisor says of it there."""

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
TEMPORARY = Path("/tmp")  # noqa: S108  where TMPDIR names no better one
# Of the rest some mean something in a URL, a list of folders or a database's own notation.
PLAIN = re.compile(r"[\w./-]*", re.ASCII)


def folder(name: str) -> Path:
    """Where a private database lives: VAR_DIR, or ``var`` in the project."""
    return Path(os.environ.get("VAR_DIR") or ROOT / "var").resolve() / name


def socket_folder(home: Path) -> Path:
    """A folder for a Unix socket: its path has room for about 100 bytes, and must be plain."""
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


def state(home: Path) -> Dict[str, Any]:
    """What the supervisor says: url and pid, or error; and its cores. Empty while nothing runs."""
    try:
        text = (home / "state.json").read_text()
    except FileNotFoundError:
        return {}
    said: Dict[str, Any] = json.loads(text)
    return said


def say(home: Path, **said: Any) -> None:
    """The supervisor's word, replaced as a whole: a reader sees the old one or the new one."""
    temporary = home / "state.json.new"
    temporary.write_text(json.dumps(said))
    temporary.replace(home / "state.json")


def unsay(home: Path) -> None:
    """Nothing is running."""
    with contextlib.suppress(FileNotFoundError):
        (home / "state.json").unlink()
