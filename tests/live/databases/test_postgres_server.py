"""The private PostgreSQL as a process: strange settings, strange paths, what was killed before."""

from __future__ import annotations

import asyncio
import contextlib
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from data_interface import BACKENDS
from databases import account, find, private, process, purge, root_homes
from databases.database import DatabaseError
from databases.locks import is_locked
from databases.postgres import postmaster, server
from databases.root_homes import home_for
from databases.timeouts import TIMEOUTS
from runtime.paths import ROOT
from tests.conftest import absent
from tests.support.site_server import until
from tests.support.stores.bench import new_ballot
from tests.support.stores.databases import prepare

ODD = "a + b & c # d % e , f ; g"
DATABASE = "postgres"
# Each of them would lead a driver or a server elsewhere, or end it.
SETTINGS = {
    "PGPORT": "6543",
    "PGHOST": "/nowhere",
    "PGHOSTADDR": "192.0.2.1",
    "PGDATA": "/nowhere",
    "PGUSER": "nobody",
    "PGDATABASE": "nowhere",
    "PGOPTIONS": "-c nonsense=1",
    "PGSSLMODE": "verify-full",
    "PGSERVICE": "nothing",
    "PGREQUIREAUTH": "scram-sha-256",
    "PGTARGETSESSIONATTRS": "standby",
    "PGDATESTYLE": "nonsense",
}
# Starts PostgreSQL in a folder and serves until its input ends.
START = """
import sys
from pathlib import Path
from databases import find, home
running = find("postgres").start(Path(sys.argv[1]))
print(running.url, flush=True)
sys.stdin.read()
running.stop()
home.remove_socket_folder(Path(sys.argv[1]))
"""


@pytest.fixture(autouse=True)
def needs_postgres() -> None:
    missing = find("postgres").missing()
    if missing:
        absent(missing)


@pytest.fixture
def private_var(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("VAR_DIR", str(tmp_path))
    prepare("postgres", tmp_path)
    yield
    lock = tmp_path / "postgres" / "supervisor.lock"
    until(lambda: not is_locked(lock), 15.0, "the supervisor did not end")


def answer(url: str) -> Any:
    """Return the answer to the simplest query."""
    with psycopg.connect(url, autocommit=True) as connection:
        return connection.execute("SELECT 1").fetchone()


def test_settings_for_other_servers_are_nothing_to_ours(
    driver: str, private_var: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in SETTINGS.items():
        monkeypatch.setenv(name, value)
    handle = private.join("postgres")

    async def check() -> None:
        store = BACKENDS[driver].load()("pool", handle.url, 2)
        await store.open()
        await new_ballot(store)
        await store.close()

    try:
        asyncio.run(check())
    finally:
        handle.leave()


def test_a_folder_may_have_any_name() -> None:
    """Root's PostgreSQL is elsewhere, so root becomes another user for this."""
    base = Path(tempfile.mkdtemp())
    folder = base / ODD / "postgres"
    folder.mkdir(parents=True)
    python = sys.executable
    drop: dict[str, Any] = {}
    if os.geteuid() == 0:
        # Whose interpreter may be in a folder that only root reaches.
        python, user = "/usr/bin/python3", pwd.getpwnam("nobody")
        if not Path(python).exists():
            absent("no /usr/bin/python3: apt-get install python3")
        drop = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
        base.chmod(0o755)
        shutil.chown(folder, user.pw_uid, user.pw_gid)
    command = [python, "-B", "-c", START, str(folder)]
    try:
        with subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, **drop
        ) as process:
            assert process.stdout
            assert process.stdin
            url = process.stdout.readline().strip()
            assert answer(url) == (1,)
            sockets = Path(find("postgres").address(url).path or "").parent
            process.stdin.close()
            assert process.wait(10.0) == 0
        # They are in a folder of their own for temporary files, which goes with the server.
        assert folder not in sockets.parents
        assert not sockets.exists()
    finally:
        shutil.rmtree(base)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    prepare("postgres", tmp_path)
    return tmp_path / "postgres"


def data_of(folder: Path) -> Path:
    return account.home_of(folder, account.account()) / "data"


def kill(pid: int) -> None:
    """The server with all that it started."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    for each in (pid, *map(int, children)):
        with contextlib.suppress(ProcessLookupError):
            os.kill(each, signal.SIGKILL)


@contextlib.contextmanager
def somebody() -> Iterator[int]:
    """A process of the user who runs PostgreSQL."""
    with subprocess.Popen(["sleep", "60"], cwd="/", **account.identity(account.account())) as other:
        try:
            yield other.pid
        finally:
            other.kill()


def test_the_number_of_a_killed_server_may_be_somebody_else_s(folder: Path) -> None:
    """Containers have the same process ids at each start."""
    first = server.start(folder)
    kill(first.pid)
    first.stop()
    with somebody() as pid:
        data = data_of(folder)
        sockets = Path(find("postgres").address(first.url).path or "").parent
        notes = [data / "postmaster.pid", *sockets.glob(".s.PGSQL.*.lock")]
        assert len(notes) == 2
        for note in notes:
            _, *rest = note.read_text().splitlines(keepends=True)
            note.write_text("".join([f"{pid}\n", *rest]))
        assert postmaster.server_of(data) is None
        second = server.start(folder)
        try:
            assert answer(second.url) == (1,)
            assert Path(f"/proc/{pid}").exists()
        finally:
            second.stop()


def test_a_server_takes_no_settings_from_who_starts_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """``join`` drops them, but races start one by themselves."""
    with monkeypatch.context() as patch:
        for name, value in SETTINGS.items():
            patch.setenv(name, value)
        running = server.start(folder)
    try:
        assert answer(running.url) == (1,)
    finally:
        running.stop()


def test_a_server_that_still_runs_is_ended_first(folder: Path) -> None:
    first = server.start(folder)
    second = server.start(folder)
    try:
        assert second.pid != first.pid
        assert second.url == first.url
        assert answer(second.url) == (1,)
    finally:
        second.stop()
        first.stop()


def test_a_long_recovery_is_waited_for(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ended before its end it would begin anew each time."""
    first = server.start(folder)
    first.stop()
    spawn = process.spawn

    def spawn_slow(command: list[str], *others: Any, **options: Any) -> Any:
        return spawn(["/bin/sh", "-c", 'sleep 1.5; exec "$0" "$@"', *command], *others, **options)

    monkeypatch.setattr(server, "spawn", spawn_slow)
    monkeypatch.setattr(server, "TIMEOUTS", TIMEOUTS._replace(retry=0.3))
    second = server.start(folder)
    try:
        assert answer(second.url) == (1,)
    finally:
        second.stop()


def test_an_interrupted_start_leaves_no_server(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[subprocess.Popen[bytes]] = []

    def interrupted(data: Path, pid: int) -> bool:
        raise SystemExit

    def spawn(*words: Any, **options: Any) -> subprocess.Popen[bytes]:
        started.append(process.spawn(*words, **options))
        return started[0]

    monkeypatch.setattr(server, "is_ready", interrupted)
    monkeypatch.setattr(server, "spawn", spawn)
    with pytest.raises(SystemExit):
        server.start(folder)
    assert started[0].returncode is not None


def root_user() -> pwd.struct_passwd:
    user = account.account()
    if user is None:
        pytest.skip("only root's PostgreSQL is outside of the project")
    return user


def test_a_folder_that_is_not_mounted_loses_nothing(
    folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Another folder, or none, may be at its path meanwhile."""
    user = root_user()
    monkeypatch.setattr(root_homes, "ROOT_HOME", tmp_path / "homes")
    home = home_for(folder, user)
    (home / "data").mkdir()
    away = folder.rename(tmp_path / "away")
    assert home_for(tmp_path, user) != home
    assert (home / "data").exists()
    folder.mkdir()
    assert home_for(folder, user) != home
    assert (home / "data").exists()
    shutil.rmtree(folder)
    away.rename(folder)
    assert home_for(folder, user) == home


def test_a_long_path_of_root_s_homes_is_refused(
    folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A folder for sockets elsewhere would be root's, which the system user cannot enter."""
    user = root_user()
    monkeypatch.setattr(root_homes, "ROOT_HOME", tmp_path / ("long" * 20))
    with pytest.raises(DatabaseError, match="DATABASE_HOMES"):
        account.home_of(folder, user)


def test_what_is_outside_is_removed_when_it_is_asked_for(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Ours alone, or all; what is served stays."""
    user = root_user()
    root = tmp_path / "homes"
    monkeypatch.setattr(root_homes, "ROOT_HOME", root)
    monkeypatch.setenv("VAR_DIR", str(folder.parent))
    other = tmp_path / "elsewhere" / "postgres"
    other.mkdir(parents=True)
    ours, theirs = home_for(folder, user), home_for(other, user)
    (root / "postgres-1-1").mkdir()
    with monkeypatch.context() as patch:  # a server has its data as current folder
        patch.chdir(ours)
        assert purge.main([]) == 1
    assert ours.exists()
    assert f"{ours} of {folder} is in use" in capsys.readouterr().err
    assert purge.main([]) == 0
    assert [home.path for home in root_homes.found()] == [theirs]
    assert not ours.exists()
    assert purge.main(["--all"]) == 0
    assert not root.exists()
