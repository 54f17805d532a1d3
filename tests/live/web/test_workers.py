"""A race reads a server's workers while they are under load."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from race.machine.meters import meters
from race.plan.read import from_json
from race.run.measure import Measurement, measure
from race.saved.model import Load, Work
from race.web.discipline import SiteDiscipline
from race.web.engines import catalogue
from runtime.interpreters import executable, found_versions
from runtime.versions import is_free_threaded
from tests.conftest import absent

CONNECTIONS = 12
LOAD = Load("wrk", CONNECTIONS, duration_s=0.6)
# It does not declare that it runs without the GIL.
UNDECLARED = """
#include <Python.h>
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "undeclared", NULL, -1, NULL};
PyMODINIT_FUNC PyInit_undeclared(void) { return PyModule_Create(&module); }
"""


def driven(engine: str, **more: Any) -> Measurement:
    """Start an engine as a race does, load it once, end it, and return what was measured."""
    data = {"name": "x", "title": "X", "engines": [engine], "pages": ["ugly"], **more}
    scenario: Any = from_json(data)
    site = SiteDiscipline()
    choice = site.choose(scenario)
    if not choice.contenders:
        absent("; ".join(choice.left_out))
    contender = choice.contenders[-1]
    chosen: Any = choice.scenario
    with site.open(chosen, choice.contenders) as start:
        subject = start(contender)
        try:
            return measure(subject, meters(), Work("ugly", LOAD))
        finally:
            subject.close()


@pytest.mark.parametrize("engine", ["aiohttp-sqlite-one", "asgi-granian-sqlite-one"])
def test_the_work_and_the_connections_of_each_worker_are_seen(engine: str) -> None:
    measured = driven(engine, workers=[2])
    spent = measured.meters["process_ns"]
    assert sorted(spent) == ["1", "2", "3"]  # two workers and their supervisor
    assert min(spent["1"], spent["2"]) > 10 * spent["3"]
    # The workers used what the server did, but for what it used between the two readings.
    assert sum(spent.values()) == pytest.approx(measured.meters["cpu_ns"]["server"], rel=0.05)
    held = measured.meters["process_connections"]
    assert (held["1"] + held["2"], held["3"]) == (CONNECTIONS, 0)


def test_one_worker_has_no_shares() -> None:
    measured = driven("aiohttp-sqlite-one")
    assert measured.meters["process_connections"] == {}


def free_threaded() -> str:
    """Return the version of an environment without the GIL."""
    found = [version for version in found_versions() if is_free_threaded(version)]
    if not found:
        # No distribution brings one, so CI is none the worse without it.
        pytest.skip("no environment of a free-threaded CPython: make env PYTHONS=3.14t")
    return found[0]


@pytest.mark.parametrize(
    ("engine", "workers"),
    [
        ("aiohttp-sqlite-one", 2),
        ("asgi-granian-sqlite-one", 2),
        ("flask-memory-one", 1),  # in threads
        ("wsgi-memory-one", 1),
    ],
)
def test_a_build_without_the_lock_serves_without_it(engine: str, workers: int) -> None:
    measured = driven(engine, workers=[workers], pythons=[free_threaded()])
    assert (measured.sample.count > 0, measured.sample.problems) == (True, ())


def test_a_lock_that_was_taken_is_seen_in_every_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """PYTHON_GIL has such a build take it from the start, for no module."""
    version = free_threaded()
    monkeypatch.setenv("PYTHON_GIL", "1")
    measured = driven("aiohttp-sqlite-one", workers=[2], pythons=[version])
    text = "the GIL was enabled again in 2 of 2 processes, by an unknown module"
    assert measured.sample.problems == (text,)


def test_the_import_that_took_the_lock_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The module of an event loop imports one in C that knows nothing of such builds."""
    version = free_threaded()
    compile_module(tmp_path, executable(version))
    (tmp_path / "uvloop.py").write_text("import undeclared\nfrom asyncio import new_event_loop\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    catalogue.cache_clear()
    measured = driven("aiohttp-sqlite-one-uvloop", workers=[2], pythons=[version])
    catalogue.cache_clear()
    text = "the GIL was enabled again in 2 of 2 processes, by undeclared"
    assert measured.sample.problems == (text,)


def compile_module(folder: Path, python: Path) -> None:
    """Compile UNDECLARED for a CPython."""
    compiler = shutil.which("cc")
    ask = "import sysconfig; print(sysconfig.get_path('include'))"
    include = subprocess.check_output([python, "-c", ask], text=True).strip()
    if compiler is None or not Path(include, "Python.h").exists():
        absent("no C compiler, or no Python.h of the free-threaded CPython")
    (folder / "undeclared.c").write_text(UNDECLARED)
    words = [compiler, "-shared", "-fPIC", f"-I{include}", "undeclared.c", "-o", "undeclared.so"]
    subprocess.run(words, cwd=folder, check=True, timeout=60)
