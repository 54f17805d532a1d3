"""Copies of private databases: whole folders of a server that does not run."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from databases.account import account, home_of
from databases.database import DatabaseError
from databases.home import remove_socket_folder
from databases.root_homes import Home, found
from databases.timeouts import TIMEOUTS


def copy(source: Path, target: Path) -> None:
    """Copy the folder of a database that was ended in order, owners included.

    Raises DatabaseError with one line.
    """
    user = account()
    _copy(source, target)
    if user is not None:
        _copy(home_of(source, user), home_of(target, user))


def remove(folder: Path) -> None:
    """Remove the folder of a database, with the data that is elsewhere for root."""
    user = account()
    if user is not None and folder.is_dir():
        home = home_of(folder, user)
        remove_socket_folder(home)
        Home(home, folder).remove()
    remove_socket_folder(folder)
    shutil.rmtree(str(folder), ignore_errors=True)


def remove_left(place: Path) -> None:
    """Remove a folder of databases whose user was killed, unless one of them still runs."""
    homes = [home for home in found() if place in home.folder.parents]
    if any(home.is_served() for home in [*homes, Home(place, place)]):
        return
    for home in homes:
        home.remove()
    shutil.rmtree(str(place), ignore_errors=True)


def _copy(source: Path, target: Path) -> None:
    target.mkdir(mode=0o700, parents=True, exist_ok=True)
    command = ["cp", "--archive", "--reflink=auto", "--sparse=always"]
    command += [f"{source}/.", str(target)]
    try:
        done = subprocess.run(command, stderr=subprocess.PIPE, timeout=TIMEOUTS.copy, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise DatabaseError(f"A database cannot be copied to {target}: {error}") from None
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().splitlines() or ["cp failed"]
        raise DatabaseError(f"A database cannot be copied to {target}: {said[-1]}")
