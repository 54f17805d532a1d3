"""Engine names, their factors, and the interpreter that an engine is given."""

from __future__ import annotations

import re
from types import SimpleNamespace

import pytest

from data_interface import BACKENDS, LOOP
from handlers import LOOPS, OWN, SERVERS, WEB, WSGI, Server, Web, availability
from handlers.availability import Availability, InterpreterError, find, wanted_version
from handlers.engine import (
    PLAIN_LOOP,
    EngineError,
    backends_of,
    beginning,
    every_engine,
    levels,
    parse,
)
from runtime import interpreters
from runtime.plugin import Plugin
from runtime.versions import order

ANY = Web("nowhere:serve")
NEW = Web("nowhere:serve", python="3.10+")
OLD = Web("nowhere:serve", python="3.7")


@pytest.fixture(autouse=True)
def web(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three frameworks more."""
    for name, plugin in {"any": ANY, "new": NEW, "old": OLD}.items():
        monkeypatch.setitem(WEB, name, plugin)


def current(monkeypatch: pytest.MonkeyPatch, version: str, *others: str) -> None:
    """The environments of a machine: the current one's version, and those tied to theirs."""
    monkeypatch.setattr(availability, "current_version", lambda: version)
    monkeypatch.setattr(availability, "found_versions", lambda: list(others))


def test_every_engine_tells_its_factors() -> None:
    known = levels()
    for engine in every_engine():
        assert parse(engine.name) == engine
        assert all(level in known[factor] for factor, level in engine.factors.items())
    assert len({engine.name for engine in every_engine()}) == len(every_engine())


def test_a_loop_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(LOOPS, "third", Plugin("asyncio:new_event_loop", needs=("third",)))
    engine = parse("any-memory-one-third")
    assert (engine.name, engine.factors["loop"]) == ("any-memory-one-third", "third")
    assert engine.needs == ("third",)
    assert engine in every_engine()
    assert levels()["loop"][-1] == "third"


def test_what_no_interpreter_runs_is_no_engine() -> None:
    names = [engine.name for engine in every_engine()]
    tied = {name: plugin.python for name, plugin in BACKENDS.items()}
    assert "3.7" in tied.values()
    for backend, python in tied.items():
        connection = BACKENDS[backend].connections[0]
        in_loop = LOOP in BACKENDS[backend].runs_in
        old = in_loop and BACKENDS[backend].suits(OLD.python)
        assert (f"new-{backend}-{connection}" in names) == (in_loop and python != OLD.python)
        assert (f"old-{backend}-{connection}" in names) == old
        assert (f"any-{backend}-{connection}" in names) == in_loop


def test_threads_have_their_own_backends_and_no_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(WEB, "threaded", Web("nowhere:application", interface=WSGI))
    found = [engine for engine in every_engine() if engine.web == "threaded"]
    assert {engine.loop for engine in found} == {PLAIN_LOOP}
    assert {engine.backend for engine in found} == set(backends_of("threaded")) > {"memory"}
    for name, said in (
        ("threaded-postgres-pool", "threaded runs in threads and postgres in an event loop: "),
        ("any-psycopgsync-pool", "any runs in an event loop and psycopgsync in threads: "),
        ("threaded-memory-one-uvloop", "threaded runs in threads, without uvloop: leave that out"),
    ):
        with pytest.raises(EngineError, match=f"^'{name}': {re.escape(said)}"):
            parse(name)


def test_what_no_interpreter_runs_is_refused_with_its_reason() -> None:
    backend = next(name for name, plugin in BACKENDS.items() if plugin.python == "3.7")
    said = (
        f"'new-{backend}-one': no interpreter runs both: "
        f"new runs on CPython 3.10 and newer; {backend} runs on CPython 3.7 only"
    )
    with pytest.raises(EngineError, match=f"^{re.escape(said)}$"):
        parse(f"new-{backend}-one")


@pytest.mark.parametrize(
    ("engine", "asked", "here", "others", "wanted"),
    [
        ("any-memory-one", None, "3.13", [], None),
        ("any-memory-one", "3.13", "3.13", [], None),
        ("any-memory-one", "3.99", "3.13", [], "3.99"),
        ("new-memory-one", None, "3.13", ["3.7"], None),
        ("new-memory-one", None, "3.8", ["3.12", "3.10", "3.7"], "3.12"),
        ("new-memory-one", None, "3.8", ["3.7"], "3.10"),
        ("old-memory-one", None, "3.13", [], "3.7"),
        ("old-memory-one", None, "3.7", [], None),
    ],
)
def test_the_interpreter_is_well_chosen(
    monkeypatch: pytest.MonkeyPatch,
    engine: str,
    asked: str | None,
    here: str,
    others: list[str],
    wanted: str | None,
) -> None:
    current(monkeypatch, here, *others)
    assert wanted_version(parse(engine), asked) == wanted


@pytest.mark.parametrize(
    ("engine", "asked", "said"),
    [
        ("new-memory-one", "3.9", "new-memory-one runs on CPython 3.10 and newer, not 3.9"),
        ("old-memory-one", "3.8", "old-memory-one runs on CPython 3.7 only, not 3.8"),
    ],
)
def test_an_interpreter_that_does_not_suit_is_one_line(
    monkeypatch: pytest.MonkeyPatch, engine: str, asked: str, said: str
) -> None:
    monkeypatch.setattr(availability, "Probe", lambda *_: SimpleNamespace(version="3.13"))
    with pytest.raises(InterpreterError, match=f"^{re.escape(said)}$"):
        find(parse(engine), asked)
    entry = Availability([parse(engine)], asked).describe(parse(engine))
    assert (entry["runs"], entry["reason"]) == (False, said)
    assert "make env" not in entry["reason"]


def test_the_versions_of_environments_are_those_they_were_made_with() -> None:
    assert interpreters.current_version() == interpreters.version_of(interpreters.environment())
    found = interpreters.found_versions()
    assert found == sorted(found, key=order, reverse=True)
    for version in found:
        assert interpreters.version_of(interpreters.environment(version)) == version


def test_the_plain_server_is_no_part_of_a_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(WEB, "frame", Web("nowhere:application", interface="talk"))
    for name in ("plain", "other"):
        monkeypatch.setitem(SERVERS, name, Server("nowhere:serve", interfaces=("talk",)))
    engine = parse("frame-memory-one-uvloop")
    assert (engine.server, engine.name) == ("plain", "frame-memory-one-uvloop")
    assert parse("frame-plain-memory-one-uvloop") == engine
    other = parse("Frame-Other-memory-one")
    assert (other.server, other.name) == ("other", "frame-other-memory-one")
    assert other.factors["server"] == "other"
    assert {engine, other} < set(every_engine())
    assert set(beginning("frame-plain")) < set(beginning("frame"))
    assert parse("any-memory-one").factors["server"] == OWN


def test_gaps_are_those_of_framework_and_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(WEB, "frame", Web("nowhere:application", gaps=("one",), interface="talk"))
    plain = Server("nowhere:serve", gaps=("two",), interfaces=("talk",))
    monkeypatch.setitem(SERVERS, "plain", plain)
    assert parse("frame-memory-one").gaps == ("one", "two")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("any-uvicorn-memory-one", "any has a server of its own and runs on no other"),
        ("frame-uvicorn-memory-one", "frame runs on plain, not on uvicorn"),
        ("frame-nginx-memory-one", "there is no server 'nginx', only own, uvicorn"),
        ("frame-memory-one-two", "an engine is <web>[-<server>]-<backend>"),
    ],
)
def test_a_server_that_does_not_fit_is_refused_with_its_reason(
    monkeypatch: pytest.MonkeyPatch, name: str, said: str
) -> None:
    monkeypatch.setitem(WEB, "frame", Web("nowhere:application", interface="talk"))
    monkeypatch.setitem(SERVERS, "plain", Server("nowhere:serve", interfaces=("talk",)))
    with pytest.raises(EngineError, match=re.escape(f"{name!r}: {said}")):
        parse(name)


def test_a_name_is_known_in_any_case() -> None:
    assert parse("ANY-Memory-One") == parse("any-memory-one")


@pytest.mark.parametrize(
    ("given", "each"),
    [("new", "new-"), ("NEW-memory", "new-memory-"), ("new-mem", None), ("", None)],
)
def test_whole_parts_begin_the_names_of_engines(given: str, each: str | None) -> None:
    names = [engine.name for engine in beginning(given)]
    expected = [engine.name for engine in every_engine() if each and engine.name.startswith(each)]
    assert names == expected
    assert bool(names) == (each is not None)


def test_a_whole_name_is_no_beginning_of_others() -> None:
    assert parse("any-memory-one-uvloop") in every_engine()
    assert beginning("any-memory-one") == []


def test_an_environment_that_is_not_there_names_those_that_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(interpreters, "present_versions", lambda: ["3.13", "3.7"])
    said = "no environment for CPython 3.99, only for 3.13, 3.7: run make env PYTHONS=3.99"
    assert interpreters.no_environment("3.99") == said
    monkeypatch.setattr(interpreters, "present_versions", list)
    assert interpreters.no_environment("3.7") == "no environment for CPython 3.7: run make env"
