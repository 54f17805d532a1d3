"""The process of a database server: waits until it answers, and ends it within a bounded time."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import time
from pathlib import Path
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Union

from databases.database import DatabaseError, TcpEndpoint
from databases.timeouts import TIMEOUTS
from runtime.child import dies_with_parent

PROBE_SECONDS = 0.02


class ServerProcess(NamedTuple):
    """A database server that listens on the Unix socket ``address``, or at that endpoint."""

    name: str
    process: subprocess.Popen[bytes]
    address: Union[Path, TcpEndpoint]
    log: Path

    def wait(self, is_greeting: Callable[[bytes], bool], hello: bytes = b"") -> None:
        """Wait until the server greets: ``is_greeting`` judges the first bytes that it sends.

        A server that greets nobody is sent a ``hello`` to answer.

        If it ends or takes too long, end it and raise DatabaseError.
        """
        deadline = time.monotonic() + TIMEOUTS.answer
        try:
            while not is_greeting(_first_bytes(self.address, hello)):
                if self.process.poll() is not None:
                    said = f"{last_line(self.log)} (more in {self.log})"
                    raise DatabaseError(f"{self.name} did not start: {said}")
                if time.monotonic() > deadline:
                    late = f"within {TIMEOUTS.answer:g} s: see {self.log}"
                    raise DatabaseError(f"{self.name} did not start {late}")
                time.sleep(PROBE_SECONDS)
        except BaseException:
            self.end()
            raise

    def end(self) -> None:
        """End the server, and remove its socket."""
        _stop(self.process)
        if isinstance(self.address, Path):
            remove(self.address)


def spawn(
    command: List[str],
    folder: Path,
    environment: Dict[str, str],
    output: Any,
    death: signal.Signals = signal.SIGKILL,
    preexec_fn: Optional[Callable[[], None]] = None,
    **options: Any,
) -> subprocess.Popen[bytes]:
    """Start a program that gets a signal when this process dies.

    The default, SIGKILL, ends a stopped process too; what it had written belongs to the kernel.
    """
    die_with_parent = dies_with_parent(death)

    def prepare() -> None:
        if preexec_fn is not None:
            preexec_fn()
        # A change of the user, which ``preexec_fn`` may make, would cancel this signal.
        die_with_parent()

    return subprocess.Popen(
        command,
        cwd=str(folder),
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=output,
        # The supervisor has no threads, which could hold a lock at the time of the fork.
        preexec_fn=prepare,  # noqa: PLW1509
        **options,
    )


def environment_without(*prefixes: str) -> Dict[str, str]:
    """Return the environment without the variables that would be settings of a server."""
    return {name: value for name, value in os.environ.items() if not name.startswith(prefixes)}


def version_text(command: List[str], **options: Any) -> Optional[str]:
    """Return what a program prints when it is asked for its version; None if it does not run."""
    try:
        said: bytes = subprocess.check_output(command, timeout=TIMEOUTS.program, **options)
    except (OSError, subprocess.SubprocessError):
        return None
    return said.decode()


def remove(address: Path) -> None:
    """Remove the socket of a server that has ended, if there is one."""
    with contextlib.suppress(FileNotFoundError):
        address.unlink()


def last_line(log: Path) -> str:
    """Return the last line of a log that is not empty."""
    lines = log.read_text(errors="replace").split("\n")
    return next((line.strip() for line in reversed(lines) if line.strip()), "its log is empty")


def _first_bytes(address: Union[Path, TcpEndpoint], hello: bytes) -> bytes:
    with contextlib.suppress(OSError), _connected(address) as probe:
        probe.sendall(hello)
        return probe.recv(16)
    return b""


def _connected(address: Union[Path, TcpEndpoint]) -> socket.socket:
    if isinstance(address, TcpEndpoint):
        return socket.create_connection((address.host, address.port), TIMEOUTS.greeting)
    probe = socket.socket(socket.AF_UNIX)
    try:
        probe.settimeout(TIMEOUTS.greeting)
        probe.connect(str(address))
    except OSError:
        probe.close()
        raise
    return probe


def _stop(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        process.terminate()
        # A process that was stopped receives SIGTERM only when it continues.
        process.send_signal(signal.SIGCONT)
    try:
        process.wait(TIMEOUTS.stop)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
