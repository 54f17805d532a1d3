"""Fixtures of every test: databases of its own, a browser, components that may be absent."""

from __future__ import annotations

import shutil
import signal
from collections.abc import Iterator
from typing import Any, NoReturn

import pytest

from race.machine import guard
from tests.support.site_server import Databases

USUAL: dict[signal.Signals, Any] = {
    signal.SIGHUP: signal.SIG_DFL,
    signal.SIGINT: signal.default_int_handler,
}
CHROMIUM = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
).split()
BROWSER_TIMEOUT = 30_000  # milliseconds
_options: dict[str, bool] = {}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--require-all",
        action="store_true",
        help="fail, instead of skip, where a component of the machine is absent",
    )


def pytest_configure(config: pytest.Config) -> None:
    guard.up()  # whatever ends this process, its servers end too
    for number, usual in USUAL.items():
        # Under nohup, or behind an & in a script, what is started here would not hear them either.
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, usual)
    config.addinivalue_line("markers", "engines: parameters, see support/engines.py")
    _options["require_all"] = config.getoption("--require-all")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> object | None:
    """Run tests that share a server in one process, with ``--dist loadgroup``."""
    if config.getoption("dist") != "loadgroup":
        return None
    from tests.support.groups import Grouped

    return Grouped(config, log)


def absent(reason: str) -> NoReturn:
    """End a test or fixture whose component (an interpreter, a program) is not on this machine.

    A skip with its reason, or a failure with ``--require-all``. The reason says what to install.
    """
    if _options["require_all"]:
        pytest.fail(f"absent: {reason}", pytrace=False)
    pytest.skip(reason)


@pytest.fixture(scope="session", autouse=True)
def nothing_outside(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Remove what root's PostgreSQL keeps outside of the folder for the databases of this run."""
    from tests.support.stores.databases import remove_homes, set_up

    set_up(tmp_path_factory.getbasetemp())
    yield
    remove_homes(tmp_path_factory.getbasetemp())


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A browser for the tests of a module; each opens a context of its own.

    Not for longer, as no other event loop can run in this process meanwhile.
    """
    program = shutil.which("chromium")
    if program is None:
        absent("no chromium: apt-get install chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(
            executable_path=program, args=CHROMIUM, timeout=BROWSER_TIMEOUT
        )
        yield started
        started.close()


@pytest.fixture(scope="session")
def databases(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Databases]:
    """Databases of this process of the run, each started when a test first needs it."""
    found = Databases(tmp_path_factory.mktemp("var"))
    try:
        yield found
    finally:
        found.release()
