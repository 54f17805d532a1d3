"""Mistakes on the command line of the locustfile and of `make locust`: one line each."""

from __future__ import annotations

import resource
import sys

import pytest

from locustfiles.run import site
from locustfiles.run.choice import mistake
from locustfiles.timeouts import Timeouts, read
from race.web.locust.__main__ import main
from race.web.locust.session import DESCRIPTORS, raise_descriptors


@pytest.mark.parametrize(
    ("shape", "fields", "said"),
    [
        ("", {}, None),
        ("Steps", {"steps_rate": "5", "other": "x"}, None),
        ("Stpes", {}, "unknown shape 'Stpes': did you mean 'Steps'?"),
        ("Heap", {}, "unknown shape 'Heap': choose from Steps, Spike, Wave, Soak, Ramp, Trace"),
        ("Steps", {"steps_rate": "x"}, "steps_rate: 'x' is no rate: a number above 0"),
        ("Trace", {"trace_file": "no.csv"}, "trace_file: no.csv: no such file"),
    ],
)
def test_a_shape_and_its_fields(shape: str, fields: dict[str, str], said: str | None) -> None:
    assert mistake(shape, fields) == said


@pytest.mark.parametrize(
    ("host", "said"),
    [
        ("", "say where the site is, as in --host http://127.0.0.1:1717"),
        ("localhost", "'localhost' is no address"),
        ("ftp://localhost", "'ftp://localhost' is no address"),
        ("http://localhost:x", "'http://localhost:x' is no address"),
    ],
)
def test_an_address(host: str, said: str) -> None:
    assert str(site.problem(host)).startswith(said)
    assert site.engine(host) == "unknown"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--headless"], "--headless needs --shape"),
        (["--workers", "x"], "'x' is no number of workers: 0 to 64"),
        (["--port", "70000"], "'70000' is no port"),
        (["--shapes", "x"], "unknown argument '--shapes': did you mean '--shape'?"),
    ],
)
def test_the_command(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    error = capsys.readouterr().err
    assert caught.value.code == 2
    assert said in error
    assert error.count("\n") == 1


def test_without_locust_the_remedy_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "locust", None)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert main([]) == 1
    assert capsys.readouterr().err == "locust: Locust is not installed: make env\n"


def test_timeouts_are_read_from_the_environment(capsys: pytest.CaptureFixture[str]) -> None:
    assert read("") == Timeouts()
    assert read("page=3, progress=0.5") == Timeouts(page=3.0, progress=0.5)
    for wrong in ("page", "page=x", "pages=3"):
        with pytest.raises(SystemExit, match=r"LOCUST_TIMEOUTS: .* is not like page=3,progress=1"):
            read(wrong)


@pytest.mark.parametrize(
    ("hard", "expected"),
    [(resource.RLIM_INFINITY, DESCRIPTORS), (10**6, DESCRIPTORS), (5000, 5000), (200, None)],
)
def test_descriptors_are_raised_as_far_as_they_may(
    hard: int, expected: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    raised: list[tuple[int, int]] = []
    monkeypatch.setattr(resource, "getrlimit", lambda what: (200, hard))
    monkeypatch.setattr(resource, "setrlimit", lambda what, limits: raised.append(limits))
    raise_descriptors()
    assert raised == ([] if expected is None else [(expected, hard)])
