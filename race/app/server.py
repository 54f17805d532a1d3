"""Builds and starts servers of an application, and waits until they answer."""

from __future__ import annotations

import contextlib
import http.client
import secrets
import shlex
import signal
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import psutil

from race import console
from race.app.contenders import Command
from race.app.place import HOST, Place
from race.app.scenario import AppScenario
from race.errors import CellFailed, RaceError
from race.machine.guard.__main__ import marked, send
from race.machine.proc import tree
from race.machine.process import Child, wait_first
from race.timeouts import TIMEOUTS

LOOK_SECONDS = 0.05
SHARED = ("VIRTUAL_ENV", "CONDA_PREFIX", "PYTHONPATH", "UV_PROJECT_ENVIRONMENT")
MARK = "RACE_SERVER"
"""The environment variable with the word of a server."""
SHOWN = 20
"""The lines of a log that are shown where a program fails."""


@dataclass
class AppServer:
    """A server that answers: its process, where it listens, and a word in the environment of all
    that it has started.
    """

    child: Child
    place: Place
    word: str

    def end(self) -> None:
        """End it, and whatever it has put into a session of its own."""
        try:
            self.child.end()
        finally:
            for pid in marked(MARK, self.word):
                send(pid, signal.SIGKILL)


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


def run(what: str, scenario: AppScenario, command: Command, folder: Path) -> None:
    """Run a build, a preparation or a reset in a folder. RaceError with its last line if it fails
    or takes too long.
    """
    # Without its environment, where passwords are.
    shown = shlex.join(command.words)
    print(f"{what}: {shown}", file=sys.stderr, flush=True)
    child = Child(command.words, env=_environment(scenario, command), cwd=folder, logs=True)
    try:
        if wait_first([child], scenario.build_s) is None:
            raise RaceError(f"{what} `{shown}` took longer than {scenario.build_s:g} s (build_s)")
        if child.exit().code != 0:
            tell(child.log(SHOWN))
            raise RaceError(f"{what} `{shown}` {child.last_words()}")
    finally:
        child.end()


def start(
    scenario: AppScenario, command: Command, place: Place, folder: Path, cores: frozenset[int]
) -> AppServer:
    """Start a contender's server in a folder, on its cores, and wait until it is ready. CellFailed,
    with all of it ended, if it is not ready in time.
    """
    word = secrets.token_hex(8)
    env = {**_environment(scenario, command), MARK: word}
    try:
        server = AppServer(Child(command.words, cores, env, folder, logs=True), place, word)
    except RaceError as error:
        raise CellFailed(str(error)) from None
    try:
        _wait(scenario, server.child, place)
    except CellFailed as failure:
        log = server.child.log(SHOWN)
        server.end()
        raise NotServing(str(failure), log) from None
    except BaseException:
        server.end()
        raise
    return server


def _wait(scenario: AppScenario, child: Child, place: Place) -> None:
    deadline = time.monotonic() + scenario.start_s
    why = "it had no time"
    while time.monotonic() < deadline:
        if not child.running():
            raise CellFailed(f"server {ended(child)}")
        child.bound_log()
        why = _not_ready(scenario, place) or ""
        if not why:
            return
        time.sleep(LOOK_SECONDS)
    others = _elsewhere(child, place)
    stands = "{socket}" if place.path else "{port}"
    hint = f"; it listens on {others}: does `serve` use {stands}?" if others else ""
    raise CellFailed(f"server was not ready within {scenario.start_s:g} s: {why}{hint}")


def ended(child: Child) -> str:
    """Return how a server ended, and what to do where it put itself into the background."""
    background = child.exit().code == 0
    hint = ": it must stay in the foreground" if background else ""
    return child.last_words() + hint


def _not_ready(scenario: AppScenario, place: Place) -> str | None:
    """Return why a server is not ready; None if it is. Without `ready`, any answer will do."""
    path = quote(scenario.ready or "/", safe="/?&=%:@!$'()*+,;~#[]{}|")
    connection = http.client.HTTPConnection(HOST)
    try:
        connection.sock = place.connect(TIMEOUTS.probe)
        connection.request("GET", path, headers={"Host": HOST})
        status = connection.getresponse().status
    except (ConnectionRefusedError, FileNotFoundError):
        return f"nothing listens on {place}"
    except (OSError, http.client.HTTPException) as error:
        return f"{path} did not answer: {type(error).__name__}"
    finally:
        connection.close()
    return f"{path} answers {status}" if scenario.ready and status >= 400 else None


def _elsewhere(child: Child, place: Place) -> str:
    """Return the addresses that a server listens on in place of its own."""
    found: set[tuple[str, int]] = set()
    for pid in tree(child.pid):
        with contextlib.suppress(psutil.Error):
            connections = psutil.Process(pid).net_connections("tcp")
            listening = (one.laddr for one in connections if one.status == psutil.CONN_LISTEN)
            found |= {(one.ip, one.port) for one in listening}
    own = {(host, place.port) for host in (HOST, "0.0.0.0", "::")}  # noqa: S104 - compared, not bound
    return ", ".join(f"{host} port {number}" for host, number in sorted(found - own))
