"""A private MariaDB that does not come up, and its installer."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from databases import find
from databases.database import DatabaseError
from databases.locks import locked
from databases.mysql import server as private_server
from databases.supervisor import is_running
from databases.timeouts import TIMEOUTS
from tests.conftest import absent
from tests.support.site_server import until


def test_a_missing_program_is_said_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(private_server, "SYSTEM_FOLDERS", str(tmp_path))
    said = find("mysql").missing()
    packages = "mariadb-server-core mariadb-client-core"
    assert said == f"no mariadbd: make system, or apt-get install {packages}"
    assert find("mysql").version() is None


def test_a_server_that_cannot_start_is_said_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    missing = find("mysql").missing()
    if missing:
        absent(missing)
    monkeypatch.setitem(private_server.SETTINGS, "no_such_setting", "1")
    with pytest.raises(DatabaseError, match=r"^MariaDB did not start: [^\n]*$"):
        find("mysql").start(tmp_path)


def in_its_place(name: str, script: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A shell script in the place of one of MariaDB's programs; it finds ``folder`` in $HERE."""
    path = folder / "bin" / name
    monkeypatch.setattr(private_server, "account", lambda: None)
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o700)
    monkeypatch.setenv("PATH", f"{path.parent}:{os.environ['PATH']}")
    monkeypatch.setenv("HERE", str(folder))


def test_an_installer_that_hangs_is_ended_with_all_that_it_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(private_server, "TIMEOUTS", TIMEOUTS._replace(initialise=0.7))
    script = 'sleep 100 &\necho $! >"$HERE/started"\nwait'
    in_its_place("mariadb-install-db", script, tmp_path, monkeypatch)
    with pytest.raises(DatabaseError, match=r"^mariadb-install-db failed: see [^\n]*$"):
        find("mysql").start(tmp_path)
    started = int((tmp_path / "started").read_text())
    until(lambda: not is_running(started), 5.0, "it still runs")


def test_what_is_left_of_an_installer_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its supervisor was killed; nobody else could have ended what the script had started."""
    monkeypatch.setattr(private_server, "TIMEOUTS", TIMEOUTS._replace(initialise=0.3))
    with (
        locked(tmp_path / "install.lock"),
        pytest.raises(
            DatabaseError, match=r"^Another process has held \S*/install\.lock for 0\.3 s"
        ),
    ):
        find("mysql").start(tmp_path)


def test_the_installer_is_given_no_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It would give files of the system's MariaDB to a named one."""
    install = 'mkdir -p "$HERE/data/mysql"; echo "$@" >"$HERE/installer"'
    in_its_place("mariadb-install-db", install, tmp_path, monkeypatch)
    in_its_place("mariadbd", "echo no", tmp_path, monkeypatch)
    with pytest.raises(DatabaseError, match=r"^MariaDB did not start: no \("):
        find("mysql").start(tmp_path)
    assert "--user" not in (tmp_path / "installer").read_text()
