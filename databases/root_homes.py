"""The data of root's private databases, which is outside of the project.

A system user runs them in root's place and cannot enter root's folders. So data, socket and, if
need be, the programs are under ``ROOT_HOME``. They stay until ``databases.purge`` removes them: the
folder that they belong to may be on a disk that is not mounted now.
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
from typing import List, NamedTuple, Optional, Sequence

from databases.timeouts import TIMEOUTS

USER = "pgserver"
# DATABASE_HOMES is for tests of a disk of their own; the system user must be able to enter it.
ROOT_HOME = Path(os.environ.get("DATABASE_HOMES") or "/var/lib/sticker-site")
# The suffix of a file beside each home, which contains the folder that the home belongs to.
OWNER = ".folder"
# A file beside the homes: the system user was made for them.
MADE_USER = "made-user"
# A file in the private folder with a random name, which differs from that of an earlier folder at
# the same path.
IDENTITY = "identity"


class Home(NamedTuple):
    """The data of one private database of root, and the private folder that it belongs to."""

    path: Path
    folder: Path

    def is_served(self) -> bool:
        """Return whether a server runs on the data: each has it as its current folder."""
        folders = map(_current, Path("/proc").glob("[0-9]*/cwd"))
        return any(self.path in (one, *one.parents) for one in folders)

    def remove(self) -> None:
        """Remove the data, and then the file that names the folder."""
        shutil.rmtree(str(self.path), ignore_errors=True)
        with contextlib.suppress(FileNotFoundError):
            self.path.with_suffix(OWNER).unlink()


def home_for(folder: Path, user: pwd.struct_passwd) -> Path:
    """Return the home of a private folder; make it if there is none."""
    make_root_home()
    text = os.fsencode(str(folder)) + _identity(folder).encode()
    home = ROOT_HOME / hashlib.sha256(text).hexdigest()[:16]
    home.mkdir(mode=0o700, exist_ok=True)
    os.chown(str(home), user.pw_uid, user.pw_gid)
    home.with_suffix(OWNER).write_text(str(folder))
    return home


def copied(base: Path, names: Sequence[str], version: str) -> Path:
    """Copy folders out of a private place, once for each version; return the folder of the copies.

    Everybody can read them.
    """
    make_root_home()
    copy = ROOT_HOME / version
    if not copy.exists():
        partial = ROOT_HOME / f"{version}-{os.getpid()}"
        shutil.rmtree(str(partial), ignore_errors=True)
        for name in names:
            shutil.copytree(str(base / name), str(partial / name), symlinks=True)
        for path in [partial, *partial.rglob("*")]:
            if not path.is_symlink():
                path.chmod(0o755 if path.stat().st_mode & 0o100 else 0o644)
        with contextlib.suppress(OSError):
            partial.rename(copy)
        shutil.rmtree(str(partial), ignore_errors=True)
    return copy


def make_root_home() -> None:
    """Make the folder of all homes."""
    ROOT_HOME.mkdir(exist_ok=True)
    ROOT_HOME.chmod(0o755)


def note_made_user() -> None:
    """Note that the system user was made for the homes."""
    make_root_home()
    (ROOT_HOME / MADE_USER).touch()


def _current(link: Path) -> Path:
    """Return the current folder of a process; the root if it has ended."""
    try:
        return Path(os.readlink(str(link)))
    except OSError:
        return Path("/")


def _identity(folder: Path) -> str:
    """Return the random name of a folder, so that an emptied folder gets a new home."""
    note = folder / IDENTITY
    with contextlib.suppress(FileNotFoundError):
        return note.read_text()
    name, fresh = secrets.token_hex(8), note.with_suffix(".new")
    fresh.write_text(name)
    fresh.replace(note)
    return name


def found() -> List[Home]:
    """Return every home on this machine."""
    homes = []
    for note in sorted(ROOT_HOME.glob("*" + OWNER)):
        # Another process may remove it at this moment.
        with contextlib.suppress(FileNotFoundError):
            homes.append(Home(note.with_suffix(""), Path(note.read_text())))
    return homes


def remove(var: Optional[Path]) -> int:
    """Remove the homes of the folders in ``var``, or all; return how many stay, being in use.

    The last home takes with it the copies of the programs, and the user that was made for them.
    """
    served = 0
    for home in found():
        if var is not None and home.folder.parent != var:
            continue
        if home.is_served():
            print(f"{home.path} of {home.folder} is in use and stays", file=sys.stderr)
            served += 1
            continue
        print(f"removing {home.path} of {home.folder}")
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
            subprocess.call(["userdel", USER], timeout=TIMEOUTS.program)
