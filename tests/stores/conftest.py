"""The stores under test, on databases of this test run, each in the interpreter it needs."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from data_interface import BACKENDS
from runtime.paths import ROOT
from tests.conftest import absent
from tests.stores.bench import Bench
from tests.stores.runner import run_case
from tests.support.site_server import Databases, environment, first_line

CASE_SECONDS = 50.0

Setting = tuple[str, str, str]
RunCase = Callable[[str], None]


def settings() -> list[Setting]:
    """Backend, connection, version of the interpreter ("" for this one): the registry itself.

    What runs on any interpreter is tried on the oldest as well, in one mode.
    """
    found: list[Setting] = []
    for name, plugin in BACKENDS.items():
        found += [(name, connection, plugin.python) for connection in plugin.connections]
        if not plugin.python:
            found.append((name, plugin.connections[0], "3.7"))
    return found


class Worker:
    """A runner in another interpreter."""

    def __init__(self, python: Path, arguments: list[str], env: dict[str, str]) -> None:
        self._process = subprocess.Popen(
            [str(python), "-m", "tests.stores.runner", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=env,
            cwd=ROOT,
        )

    def run(self, case: str) -> None:
        """Run it there; its traceback is the failure."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{case}\n".encode())
        self._process.stdin.flush()
        line = first_line(self._process, CASE_SECONDS)
        assert line, f"no answer; exit status {self._process.poll()}"
        trace = json.loads(line)
        if trace is not None:
            pytest.fail(trace, pytrace=False)

    def end(self) -> None:
        """Bounded."""
        self._process.kill()
        self._process.communicate()


@pytest.fixture(scope="session")
def databases(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Databases]:
    """This run's databases, apart from those of the engines' tests."""
    found = Databases(tmp_path_factory.mktemp("var"))
    try:
        yield found
    finally:
        found.release()


@pytest.fixture(scope="module")
def runs(request: pytest.FixtureRequest, databases: Databases) -> Iterator[RunCase]:
    """Runs a case against the store that the test is parametrized with."""
    backend, connection, version = request.param
    python = find_python(backend, version)
    server = BACKENDS[backend].database
    url = databases.hold(server) if server else ""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("VAR_DIR", databases.env()["VAR_DIR"])
        if not version:
            yield lambda case: run_case(Bench(backend, connection, url), case)
            return
        env = environment(VAR_DIR=os.environ["VAR_DIR"])
        worker = Worker(python, [backend, connection, url], env)
        try:
            yield worker.run
        finally:
            worker.end()


def find_python(backend: str, version: str) -> Path:
    """The interpreter for the backend; ends the test where this machine does not have it."""
    plugin = BACKENDS[backend]
    if not version:
        for need in plugin.needs:
            if importlib.util.find_spec(need) is None:
                absent(f"{backend} needs the Python package {need}: run `make env`")
        return Path(sys.executable)
    python = ROOT / f".venv-{version}" / "bin" / "python"
    if not python.exists():
        absent(f"{backend} needs CPython {version}: run `make env`")
    return python
