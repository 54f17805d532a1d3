"""Private databases: one for all users, the same address after a death, none left behind."""

from __future__ import annotations

import contextlib
import os
import pwd
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from databases import DATABASES, find, private
from databases.database import DatabaseError
from databases.home import folder, read_state
from databases.locks import is_locked
from databases.root_homes import USER
from databases.supervisor import is_running
from runtime.interpreters import executable
from runtime.paths import ROOT
from tests.conftest import absent
from tests.support.site_server import until

GONE_SECONDS = 15.0
JOIN = """
import sys
from databases import private
handle = private.join(sys.argv[1])
print(handle.url, handle.pid, flush=True)
sys.stdin.read()
"""
FORK = JOIN.replace("print(", "import os\nif os.fork():\n    os._exit(0)\nprint(")


@pytest.fixture(autouse=True)
def private_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("VAR_DIR", str(tmp_path))
    yield
    for log in tmp_path.glob("*/supervisor.log"):
        lock = log.parent / "supervisor.lock"
        wait_for(lambda: not is_locked(lock))  # noqa: B023  called at once


@pytest.fixture
def name() -> str:
    """The database that stands for all; tests/long has the others."""
    need("tarantool")
    return "tarantool"


@pytest.fixture(params=[name for name in DATABASES if not find(name).embedded])
def served(request: pytest.FixtureRequest) -> str:
    """The name of each database that has a server."""
    need(request.param)
    return str(request.param)


@pytest.fixture(params=list(DATABASES))
def each(request: pytest.FixtureRequest) -> str:
    """The name of each database."""
    need(request.param)
    return str(request.param)


def need(name: str) -> None:
    missing = find(name).missing()
    if missing:
        absent(missing)


@contextlib.contextmanager
def user(name: str, program: str = JOIN) -> Iterator[subprocess.Popen[str]]:
    """A process of its own that joins; it leaves when its input ends."""
    command = [sys.executable, "-c", program, name]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def said(process: subprocess.Popen[str]) -> tuple[str, int]:
    assert process.stdout is not None
    url, pid = process.stdout.readline().split()
    return url, int(pid)


def wait_for(done: Callable[[], bool]) -> None:
    until(done, GONE_SECONDS, "it did not happen in time")


def supervisor_of(pid: int) -> int:
    """The supervisor is the database's parent."""
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def greeting(url: str) -> bytes:
    with socket.socket(socket.AF_UNIX) as probe:
        probe.settimeout(5.0)
        probe.connect(unquote(urlsplit(url).path))
        return probe.recv(9)


def test_one_database_for_all_users_and_none_after_the_last(name: str) -> None:
    with user(name) as first, user(name) as second:
        assert said(first) == (shared := said(second))
        handle = private.join(name)
        assert (handle.url, handle.pid) == shared
        first.kill()
        second.kill()
        first.wait()
        second.wait()
        # Long enough for a supervisor that forgot this process to stop the database.
        time.sleep(1.5)
        assert is_running(handle.pid)
    pid = handle.pid
    handle.leave()
    wait_for(lambda: not is_running(pid))


def test_many_that_start_at_once_get_the_same_database() -> None:
    need("tarantool")
    with contextlib.ExitStack() as stack:
        users = [stack.enter_context(user("tarantool")) for _ in range(6)]
        assert len({said(each) for each in users}) == 1


def test_a_killed_user_counts_as_gone(name: str) -> None:
    with user(name) as only:
        _, pid = said(only)
        only.kill()
        wait_for(lambda: not is_running(pid))


def test_a_forked_worker_shares_the_hold_of_its_parent() -> None:
    need("tarantool")
    with user("tarantool", FORK) as parent:
        _, pid = said(parent)
        assert parent.wait(10.0) == 0
        time.sleep(1.5)
        assert is_running(pid)
        assert parent.stdin is not None
        parent.stdin.close()
        wait_for(lambda: not is_running(pid))


def test_a_killed_database_is_back_at_the_same_address(name: str) -> None:
    handle = private.join(name)
    try:
        before = handle.pid
        with private.down(name):
            pass
        assert handle.pid != before
        again = private.join(name)
        assert (again.url, again.pid) == (handle.url, handle.pid)
        again.leave()
    finally:
        handle.leave()


def test_the_supervisor_brings_back_what_died_by_itself() -> None:
    need("tarantool")
    handle = private.join("tarantool")
    try:
        died = handle.pid
        os.kill(died, signal.SIGKILL)
        wait_for(lambda: not read_state(folder("tarantool")))
        wait_for(lambda: bool(read_state(folder("tarantool"))))
        assert handle.pid != died
        assert greeting(handle.url) == b"Tarantool"
    finally:
        handle.leave()


def test_a_test_can_keep_the_database_away() -> None:
    need("tarantool")
    handle = private.join("tarantool")
    try:
        with private.down("tarantool"):
            time.sleep(0.8)
            with pytest.raises(OSError, match=r"refused|No such file"):
                greeting(handle.url)
        assert greeting(handle.url) == b"Tarantool"
    finally:
        handle.leave()


def test_sigterm_to_the_supervisor_ends_the_database(name: str) -> None:
    handle = private.join(name)
    pid = handle.pid
    os.kill(supervisor_of(pid), signal.SIGTERM)
    wait_for(lambda: not is_running(pid))
    handle.leave()


def test_a_killed_supervisor_takes_its_database_along_and_the_next_user_gets_another() -> None:
    need("tarantool")
    handle = private.join("tarantool")
    pid = handle.pid
    os.kill(pid, signal.SIGSTOP)
    os.kill(supervisor_of(pid), signal.SIGKILL)
    wait_for(lambda: not is_running(pid))
    again = private.join("tarantool")
    assert again.url == handle.url
    assert greeting(again.url) == b"Tarantool"
    handle.leave()
    again.leave()


def test_two_projects_do_not_meet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    need("tarantool")
    handle = private.join("tarantool")
    monkeypatch.setenv("VAR_DIR", str(tmp_path / "other"))
    other = private.join("tarantool")
    assert handle.url != other.url
    assert greeting(handle.url) == greeting(other.url) == b"Tarantool"
    pid = other.pid
    other.leave()
    handle.leave()
    wait_for(lambda: not is_running(pid))


@pytest.mark.parametrize("var", ["long and wide" * 10, "a + b & c # d % e , f ; g"])
def test_a_folder_may_have_any_name(
    name: str, var: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VAR_DIR", str(tmp_path / var))
    handle = private.join(name)
    address = Path(find(name).address(handle.url).path or "")
    try:
        with socket.socket(socket.AF_UNIX) as probe:
            probe.connect(str(address))
    finally:
        pid = handle.pid
        handle.leave()
    wait_for(lambda: not is_running(pid))
    wait_for(lambda: not address.exists())


def test_a_relative_folder_is_the_user_s_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The supervisor runs in another folder, where the path would mean another one."""
    need("tarantool")
    monkeypatch.setenv("VAR_DIR", "var here")
    monkeypatch.chdir(tmp_path)
    handle = private.join("tarantool")
    pid = handle.pid
    assert (tmp_path / "var here" / "tarantool" / "state.json").exists()
    handle.leave()
    wait_for(lambda: not is_running(pid))


def test_a_missing_program_is_said_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(DatabaseError) as caught:
        private.join("tarantool")
    assert str(caught.value) == "no tarantool: make system, or apt-get install tarantool"


def test_a_setting_that_tarantool_refuses_is_said_in_one_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    need("tarantool")
    monkeypatch.setenv("TARANTOOL_MEMORY", "lots")
    with pytest.raises(DatabaseError, match=r"^[^\n]*TARANTOOL_MEMORY must be[^\n]*lots"):
        private.join("tarantool")


def test_root_s_databases_run_as_another_user(served: str) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root's run as another user")
    handle = private.join(served)
    try:
        who = Path(f"/proc/{handle.pid}").stat()
        assert (who.st_uid, who.st_gid) == pwd.getpwnam(USER)[2:4]
    finally:
        pid = handle.pid
        handle.leave()
    wait_for(lambda: not is_running(pid))


def test_a_name_that_is_no_database_is_said_in_one_line() -> None:
    with pytest.raises(DatabaseError, match=r"^There is no database 'oracle', only postgres, tar"):
        private.join("oracle")


def test_every_database_tells_its_version(each: str) -> None:
    version = find(each).version()
    assert version is not None
    assert re.match(r"\d+\.\d+", version)


def test_an_older_interpreter_finds_what_the_current_environment_has(each: str) -> None:
    python = executable("3.7")
    if not python.exists():
        absent("no CPython 3.7: make env")
    code = f"from databases import find; d = find({each!r}); print(d.missing(), d.version())"
    answer = subprocess.check_output([str(python), "-c", code], cwd=ROOT, text=True, timeout=20)
    assert answer.strip() == f"None {find(each).version()}"
