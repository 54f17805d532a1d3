"""`make history`: what it prints, what it refuses, and that a second time adds nothing."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import pytest

from data_interface.history import votes_of
from data_interface.reports.rows import DAY, DAYS
from databases import DATABASES, find
from runtime.paths import ROOT
from tests.conftest import absent
from tests.support.site_server import Databases, environment

CLOCK = "2026-05-01T12:34:56Z"
NOW = 1_777_638_896
SECONDS = 60.0


@pytest.fixture(scope="module")
def stopped(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Databases]:
    """Databases without votes."""
    found = Databases(tmp_path_factory.mktemp("history"))
    try:
        yield found
    finally:
        found.release()


def run(env: dict[str, str], *names: str) -> tuple[int, list[str], list[str]]:
    """Exit status, and the lines of both outputs."""
    done = subprocess.run(
        [sys.executable, "-m", "data_interface.history", *names],
        capture_output=True,
        text=True,
        timeout=SECONDS,
        cwd=ROOT,
        env=env,
        check=False,
    )
    return done.returncode, done.stdout.splitlines(), done.stderr.splitlines()


@pytest.mark.parametrize("name", DATABASES)
def test_a_month_is_made_once(name: str, stopped: Databases) -> None:
    missing = find(name).missing()
    if missing:
        absent(missing)
    stopped.hold(name)
    env = stopped.env(SITE_CLOCK=CLOCK)
    days = range(NOW // DAY - DAYS + 1, NOW // DAY + 1)
    number = sum(one.moment <= NOW for day in days for one in votes_of(day))
    added = f"{name}: {number:,} votes added (the last {DAYS} days)"
    assert run(env, name) == (0, [added], [])
    again = f"{name}: nothing to add, every day has votes (the last {DAYS} days)"
    assert run(env, name) == (0, [again], [])


def test_an_unknown_database_is_wrong_use() -> None:
    status, out, (line,) = run(environment(), "postgres", "oracle")
    assert (status, out) == (2, [])
    assert line == f"history: There is no database 'oracle', only {', '.join(DATABASES)}."


def test_an_unknown_option_and_a_clock_that_is_none_are_wrong_use() -> None:
    assert run(environment(), "--all")[0] == 2
    status, _, (line,) = run(environment(SITE_CLOCK="noon"), "postgres")
    assert status == 2
    assert line.startswith("history: SITE_CLOCK=noon: must be a time")


def test_a_database_that_does_not_answer_is_one_line() -> None:
    for name in DATABASES:
        database = find(name)
        scheme = database.form.schemes[0]
        for url, said in ((f"{scheme}://u:secret@127.0.0.1:1/x", ""), ("nonsense", "URL")):
            env = environment(**{database.url_variable: url})
            status, out, (line,) = run(env, name)
            assert (status, out) == (1, [])
            assert line.startswith(f"history: {name}: ")
            assert said in line
            assert "secret" not in line
