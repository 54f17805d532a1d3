"""Where the private PostgreSQL of root has its data, and how what is left there is removed.

PostgreSQL does not run as root, so a system user runs it, who does not come into root's folders:
data, socket and, where need be, the programs are under ``ROOT_HOME``. Nothing there goes by itself:
a folder that is not to be found may only not be mounted. See ``databases.purge``.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import pwd
import secrets
import shutil
import subprocess
import sys
from pathlib import Path
from typing import List, NamedTuple, Optional

from databases.postgres.postmaster import server_of

USER = "pgserver"
ROOT_HOME = Path("/var/lib/sticker-site")
# Beside each home: a file that names the folder it belongs to.
OWNER = ".folder"
# Beside them: that the system user was made for them.
MADE_USER = "made-user"
# In the folder: what tells it from another one that was at the same place before.
IDENTITY = "identity"
# In the folder: `initdb` got to its end.
MARK = "initialised"
USERDEL_SECONDS = 5.0


class Home(NamedTuple):
    """Data of root's under ``ROOT_HOME``, and the folder of the private database it belongs to."""

    path: Path
    folder: Path

    def is_served(self) -> bool:
        """Whether a server runs on it."""
        return server_of(self.path / "data") is not None

    def remove(self) -> None:
        """With its note; the note last."""
        shutil.rmtree(str(self.path), ignore_errors=True)
        with contextlib.suppress(FileNotFoundError):
            self.path.with_suffix(OWNER).unlink()


def home_for(folder: Path, user: pwd.struct_passwd) -> Path:
    """The home of a folder, made where there is none."""
    make_root_home()
    text = os.fsencode(str(folder)) + _identity(folder).encode()
    home = ROOT_HOME / hashlib.sha256(text).hexdigest()[:16]
    home.mkdir(mode=0o700, exist_ok=True)
    os.chown(str(home), user.pw_uid, user.pw_gid)
    home.with_suffix(OWNER).write_text(str(folder))
    return home


def make_root_home() -> None:
    """The folder of all homes."""
    ROOT_HOME.mkdir(exist_ok=True)
    ROOT_HOME.chmod(0o755)


def note_made_user() -> None:
    """The system user was not there before."""
    make_root_home()
    (ROOT_HOME / MADE_USER).touch()


def _identity(folder: Path) -> str:
    """Where a folder was emptied or is not mounted, another one begins, with a home of its own.

    Those from before there were such names are told by their paths alone.
    """
    note = folder / IDENTITY
    with contextlib.suppress(FileNotFoundError):
        return note.read_text()
    if (folder / MARK).exists():
        return ""
    name, fresh = secrets.token_hex(8), note.with_suffix(".new")
    fresh.write_text(name)
    fresh.replace(note)
    return name


def found() -> List[Home]:
    """Every home of this machine."""
    homes = []
    for note in sorted(ROOT_HOME.glob("*" + OWNER)):
        # Somebody else may remove it at this moment.
        with contextlib.suppress(FileNotFoundError):
            homes.append(Home(note.with_suffix(""), Path(note.read_text())))
    return homes


def remove(var: Optional[Path]) -> int:
    """Remove the homes of the folders in ``var``, None for all; how many are served, and stay.

    With the last home go the copies of the programs, and the user that was made for them.
    """
    served = 0
    for home in found():
        if var is not None and home.folder.parent != var:
            continue
        if home.is_served():
            print(f"{home.path} is being served, of {home.folder}", file=sys.stderr)
            served += 1
            continue
        print(f"removing {home.path}, of {home.folder}")
        home.remove()
    if ROOT_HOME.exists() and not found():
        _remove_root_home()
    return served


def _remove_root_home() -> None:
    made_user = (ROOT_HOME / MADE_USER).exists()
    print(f"removing {ROOT_HOME}" + (f" and the user {USER}" if made_user else ""))
    shutil.rmtree(str(ROOT_HOME))
    if made_user:
        with contextlib.suppress(OSError, subprocess.SubprocessError):
            subprocess.call(["userdel", USER], timeout=USERDEL_SECONDS)
