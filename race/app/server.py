"""Builds and starts servers of an application, and waits until they answer."""

from __future__ import annotations

import http.client
import socket
import time
from dataclasses import dataclass
from pathlib import Path

import psutil

from race.app import contenders
from race.app.contenders import Command
from race.app.scenario import AppScenario
from race.errors import CellFailed, RaceError
from race.machine.proc import tree
from race.machine.process import Child, wait_first
from race.saved.model import Contender

HOST = "127.0.0.1"
LOOK_SECONDS = 0.05
PROBE_SECONDS = 2.0
"""The longest that one question whether a server is ready may take."""


@dataclass
class AppServer:
    """A server that answers: its process and the port that it listens on."""

    child: Child
    port: int

    @property
    def url(self) -> str:
        """The URL of its first page, without a path."""
        return f"http://{HOST}:{self.port}"


def build(scenario: AppScenario, command: Command, folder: Path) -> None:
    """Run a build in a folder. RaceError with its last line if it fails or takes too long."""
    child = Child(command.words, env=command.env, cwd=folder, logs=True)
    try:
        if wait_first([child], scenario.build_s) is None:
            raise RaceError(f"build `{command}` took longer than {scenario.build_s:g} s (build_s)")
        if child.exit().code != 0:
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
        child = Child(command.words, cores, command.env, folder, logs=True)
    except RaceError as error:
        raise CellFailed(str(error)) from None
    try:
        _wait(scenario, child, port)
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
    why = f"nothing listens on port {port}"
    while time.monotonic() < deadline:
        if not child.running():
            raise CellFailed(f"server {_ended(child)}")
        why = _not_ready(scenario, port) or ""
        if not why:
            return
        time.sleep(LOOK_SECONDS)
    others = _other_ports(child, port)
    hint = f"; it listens on {others}: does `serve` use {{port}}?" if others else ""
    said = child.complaint()
    told = f"; its last line: {said}" if said else ""
    raise CellFailed(f"server was not ready within {scenario.start_s:g} s: {why}{hint}{told}")


def _ended(child: Child) -> str:
    background = child.exit().code == 0
    hint = ": it must stay in the foreground" if background else ""
    return child.last_words() + hint


def _not_ready(scenario: AppScenario, port: int) -> str | None:
    """Return why a server is not ready; None if it is."""
    try:
        if scenario.ready is None:
            socket.create_connection((HOST, port), PROBE_SECONDS).close()
            return None
        connection = http.client.HTTPConnection(HOST, port, timeout=PROBE_SECONDS)
        try:
            connection.request("GET", scenario.ready)
            status = connection.getresponse().status
        finally:
            connection.close()
    except ConnectionRefusedError:
        return f"nothing listens on port {port}"
    except (OSError, http.client.HTTPException) as error:
        return f"{scenario.ready or 'it'} did not answer: {type(error).__name__}"
    return None if status < 400 else f"{scenario.ready} answers {status}"


def _other_ports(child: Child, port: int) -> str:
    """Return the ports that a server listens on in place of its own."""
    found: set[int] = set()
    for pid in tree(child.pid):
        try:
            connections = psutil.Process(pid).net_connections("tcp")
        except psutil.Error:
            continue
        found |= {one.laddr.port for one in connections if one.status == psutil.CONN_LISTEN}
    return ", ".join(map(str, sorted(found - {port})))
