"""Builds and starts servers of an application, and waits until they answer."""

from __future__ import annotations

import contextlib
import http.client
import socket
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import psutil

from race import console
from race.app import contenders
from race.app.contenders import Command
from race.app.requests import HOST
from race.app.scenario import AppScenario
from race.errors import CellFailed, RaceError
from race.machine.proc import tree
from race.machine.process import Child, wait_first
from race.saved.model import Contender
from race.timeouts import TIMEOUTS

LOOK_SECONDS = 0.05
SHARED = ("VIRTUAL_ENV", "CONDA_PREFIX", "PYTHONPATH", "UV_PROJECT_ENVIRONMENT")
SHOWN = 20
"""The lines of a log that are shown where a program fails."""


@dataclass
class AppServer:
    """A server that answers: its process and the port that it listens on."""

    child: Child
    port: int

    @property
    def url(self) -> str:
        """The URL of its first page, without a path."""
        return f"http://{HOST}:{self.port}"


class NotServing(CellFailed):
    """A server did not get ready; `log` has the last lines that it wrote."""

    def __init__(self, reason: str, log: Sequence[str]) -> None:
        super().__init__(reason)
        self.log = log


def tell(log: Iterable[str]) -> None:
    """Print the end of a program's log, so that a person sees why it failed."""
    for line in log:
        console.write(f"  | {line}", sys.stderr)


def _environment(scenario: AppScenario, command: Command) -> Mapping[str, str | None]:
    """Return what changes in the environment. An active environment of Python, which commits would
    share, is none of theirs.
    """
    return {**(dict.fromkeys(SHARED) if scenario.commits else {}), **command.env}


def build(scenario: AppScenario, command: Command, folder: Path) -> None:
    """Run a build in a folder. RaceError with its last line if it fails or takes too long."""
    print(f"build: {command}", file=sys.stderr, flush=True)
    child = Child(command.words, env=_environment(scenario, command), cwd=folder, logs=True)
    try:
        if wait_first([child], scenario.build_s) is None:
            raise RaceError(f"build `{command}` took longer than {scenario.build_s:g} s (build_s)")
        if child.exit().code != 0:
            tell(child.log(SHOWN))
            raise RaceError(f"build `{command}` {child.last_words()}")
    finally:
        child.end()


def start(
    scenario: AppScenario, contender: Contender, folder: Path, cores: frozenset[int]
) -> AppServer:
    """Start a contender's server in a folder, on its cores, and wait until it is ready. CellFailed,
    with all of it ended, if it is not ready in time.
    """
    port = _free_port()
    command = contenders.serve(scenario, contender, port)
    try:
        child = Child(command.words, cores, _environment(scenario, command), folder, logs=True)
    except RaceError as error:
        raise CellFailed(str(error)) from None
    try:
        _wait(scenario, child, port)
    except CellFailed as failure:
        log = child.log(SHOWN)
        child.end()
        raise NotServing(str(failure), log) from None
    except BaseException:
        child.end()
        raise
    return AppServer(child, port)


def _free_port() -> int:
    with socket.socket() as one:
        one.bind((HOST, 0))
        port: int = one.getsockname()[1]
        return port


def _wait(scenario: AppScenario, child: Child, port: int) -> None:
    deadline = time.monotonic() + scenario.start_s
    why = "it had no time"
    while time.monotonic() < deadline:
        if not child.running():
            raise CellFailed(f"server {ended(child)}")
        why = _not_ready(scenario, port) or ""
        if not why:
            return
        time.sleep(LOOK_SECONDS)
    others = _elsewhere(child, port)
    hint = f"; it listens on {others}: does `serve` use {{port}}?" if others else ""
    raise CellFailed(f"server was not ready within {scenario.start_s:g} s: {why}{hint}")


def ended(child: Child) -> str:
    """Return how a server ended, and what to do where it put itself into the background."""
    background = child.exit().code == 0
    hint = ": it must stay in the foreground" if background else ""
    return child.last_words() + hint


def _not_ready(scenario: AppScenario, port: int) -> str | None:
    """Return why a server is not ready; None if it is. Without `ready`, any answer will do."""
    path = quote(scenario.ready or "/", safe="/?&=%:@!$'()*+,;~#[]{}|")
    connection = http.client.HTTPConnection(HOST, port, timeout=TIMEOUTS.probe)
    try:
        connection.request("GET", path, headers={"Host": HOST})
        status = connection.getresponse().status
    except ConnectionRefusedError:
        return f"nothing listens on {HOST} port {port}"
    except (OSError, http.client.HTTPException) as error:
        return f"{path} did not answer: {type(error).__name__}"
    finally:
        connection.close()
    return f"{path} answers {status}" if scenario.ready and status >= 400 else None


def _elsewhere(child: Child, port: int) -> str:
    """Return the addresses that a server listens on in place of its own."""
    found: set[tuple[str, int]] = set()
    for pid in tree(child.pid):
        with contextlib.suppress(psutil.Error):
            connections = psutil.Process(pid).net_connections("tcp")
            listening = (one.laddr for one in connections if one.status == psutil.CONN_LISTEN)
            found |= {(one.ip, one.port) for one in listening}
    own = {(HOST, port), ("0.0.0.0", port), ("::", port)}  # noqa: S104 - compared, not bound
    return ", ".join(f"{host} port {number}" for host, number in sorted(found - own))
