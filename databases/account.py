"""The system user that runs root's private databases.

PostgreSQL and MariaDB refuse to run as root, and no database needs its rights. Data, socket and, if
the project is in a private folder, the programs are in folders that this user can read
(``root_homes``).
"""

from __future__ import annotations

import contextlib
import os
import pwd
import subprocess
from pathlib import Path
from typing import Any, Dict, Optional

from databases.database import DatabaseError
from databases.home import suits
from databases.root_homes import USER, home_for, note_made_user
from databases.timeouts import TIMEOUTS

Account = Optional[pwd.struct_passwd]


def account() -> Account:
    """Return the system user that runs databases in root's place; None if we are not root."""
    if os.geteuid() != 0:
        return None
    with contextlib.suppress(KeyError):
        return pwd.getpwnam(USER)
    command = ["useradd", "--system", "--no-create-home", "--shell", "/usr/sbin/nologin", USER]
    with contextlib.suppress(OSError, subprocess.SubprocessError):
        if subprocess.call(command, stderr=subprocess.DEVNULL, timeout=TIMEOUTS.program) == 0:
            note_made_user()
    try:
        return pwd.getpwnam(USER)
    except KeyError:
        raise DatabaseError(
            f"Private databases do not run as root: make the system user {USER} for them, or name "
            "a server of yours by its URL."
        ) from None


def home_of(folder: Path, user: Account) -> Path:
    """Return the folder of data and socket, which for root is one of the system user.

    Raises DatabaseError if a socket cannot be there, as the user may enter no folder of root's that
    is made for it elsewhere.
    """
    if user is None:
        return folder
    home = home_for(folder, user)
    if not suits(home):
        raise DatabaseError(
            f"No socket can be in {home}: name a shorter folder without special characters by "
            "DATABASE_HOMES."
        )
    return home


def make_folder(path: Path, user: Account) -> None:
    """Make a folder within a home, which belongs to the user who runs the database."""
    path.mkdir(mode=0o700, exist_ok=True)
    if user is not None:
        # The user could put a link in its place, which root must not follow.
        os.chown(str(path), user.pw_uid, user.pw_gid, follow_symlinks=False)


def identity(user: Account) -> Dict[str, Any]:
    """Return the arguments of ``subprocess`` that drop root's rights.

    Its own argument ``user`` needs CPython 3.9.
    """
    if user is None:
        return {}
    uid, gid = user.pw_uid, user.pw_gid

    def drop() -> None:
        os.setgroups([])
        os.setgid(gid)
        os.setuid(uid)

    return {"preexec_fn": drop}
