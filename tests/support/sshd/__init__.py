"""An sshd of the tests' own, which stands for another machine, in a network namespace if possible.

It has its own port, host key and user key; nothing of the user's configuration is read or changed.
"""

from __future__ import annotations

import contextlib
import getpass
import os
import secrets
import shlex
import shutil
import subprocess
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

from runtime.listen import free_port
from tests.conftest import absent
from tests.support.site_server import until

THERE = "there"
"""The name of the machine in the ssh configuration."""
ALSO, AGAIN = "also", "again"
"""The same machine, as other parties name it."""
REFUSES = "refuses"
"""The same machine, with a key that it refuses."""
SSHD = """
Port {port}
ListenAddress {address}
HostKey {folder}/host
AuthorizedKeysFile {folder}/user.pub
PidFile none
StrictModes no
UsePAM no
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin prohibit-password
"""
SSH = """
Host {names} {refuses}
HostName {address}
Port {port}
User {user}
IdentitiesOnly yes
UserKnownHostsFile {folder}/known
HostKeyAlias {there}

Host {names}
IdentityFile {folder}/user

Host {refuses}
IdentityFile {folder}/other
"""


@dataclass
class Sshd:
    """A running sshd: the `ssh` that reaches it, its address, and ours as it sees it."""

    command: str
    address: str
    ours: str
    process: subprocess.Popen[bytes]


@contextlib.contextmanager
def running(folder: Path, apart: bool = False) -> Iterator[Sshd]:
    """Run an sshd; `apart`: in a network namespace, where this may make one."""
    program = shutil.which("sshd", path=f"{os.environ['PATH']}:/usr/sbin")
    if program is None:
        absent("no sshd: apt-get install openssh-server")
    with contextlib.ExitStack() as stack:
        prefix, address, ours = stack.enter_context(_namespace() if apart else _here())
        port = 22 if prefix else free_port()
        for name in ("host", "user", "other"):
            words = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / name)]
            subprocess.run(words, check=True, timeout=20)
        known = (folder / "host.pub").read_text()
        (folder / "known").write_text(f"{THERE} {known}")
        texts = {"port": port, "address": address, "folder": folder, "user": getpass.getuser()}
        (folder / "sshd_config").write_text(SSHD.format(**texts))
        config, names = folder / "config", f"{THERE} {ALSO} {AGAIN}"
        config.write_text(SSH.format(there=THERE, names=names, refuses=REFUSES, **texts))
        if os.geteuid() == 0:
            Path("/run/sshd").mkdir(exist_ok=True)  # root's sshd wants it empty
        words = [*prefix, program, "-D", "-e", "-f", str(folder / "sshd_config")]
        with (folder / "log").open("wb") as log:
            process = subprocess.Popen(words, stderr=log, stdout=log)
        stack.callback(_end, process)
        command = shlex.join(["ssh", "-F", str(config)])
        until(lambda: _answers(command), 20.0, "sshd does not answer")
        yield Sshd(command, address, ours, process)


def cut(name: str) -> None:
    """Kill the connections of this process to a machine."""
    for one in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.Error):  # ended meanwhile
            if name in one.cmdline():
                one.kill()


def _answers(command: str) -> bool:
    words = [*shlex.split(command), "-o", "BatchMode=yes", THERE, "true"]
    return subprocess.run(words, capture_output=True, timeout=20, check=False).returncode == 0


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    process.wait(10)


@contextlib.contextmanager
def _here() -> Iterator[tuple[Sequence[str], str, str]]:
    yield [], "127.0.0.1", "127.0.0.1"


@contextlib.contextmanager
def _namespace() -> Iterator[tuple[Sequence[str], str, str]]:
    """Make a network of two addresses, one of them in a namespace; none where it is forbidden."""
    name = f"race{secrets.token_hex(3)}"
    net = f"169.254.{secrets.randbelow(254) + 1}.{4 * secrets.randbelow(63)}"
    first, _, last = net.rpartition(".")
    ours, theirs = f"{first}.{int(last) + 1}", f"{first}.{int(last) + 2}"
    if os.geteuid() != 0 or not _ip(f"netns add {name}"):
        with _here() as here:
            yield here
        return
    try:
        made = all(
            _ip(words)
            for words in (
                f"link add {name}a type veth peer name {name}b netns {name}",
                f"addr add {ours}/30 dev {name}a",
                f"link set {name}a up",
                f"-n {name} addr add {theirs}/30 dev {name}b",
                f"-n {name} link set {name}b up",
                f"-n {name} link set lo up",
            )
        )
        if made:
            yield ["ip", "netns", "exec", name], theirs, ours
        else:
            with _here() as here:
                yield here
    finally:
        deadline = time.monotonic() + 10
        while not _ip(f"netns del {name}") and time.monotonic() < deadline:
            time.sleep(0.1)
        _ip(f"link del {name}a")  # it goes with the namespace, but not at once


def _ip(words: str) -> bool:
    with contextlib.suppress(OSError):
        command = ["ip", *words.split()]
        return not subprocess.run(command, capture_output=True, timeout=10, check=False).returncode
    return False
