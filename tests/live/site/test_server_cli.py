"""server.py's command line: one clear line for every mistake, and the right exit status."""

from __future__ import annotations

import configparser
import json
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from data_interface import BACKENDS
from databases import find
from handlers import LOOPS, OWN, SERVERS, WEB
from handlers.engine import every_engine, levels, parse
from handlers.render import RENDERERS
from runtime.paths import ROOT
from tests.conftest import absent
from tests.support.site_client import get
from tests.support.site_server import (
    SERVER,
    SERVING,
    Databases,
    SiteServer,
    environment,
    first_line,
    serving,
)

ENGINE = "aiohttp-memory-one"
SECONDS = 30.0


def run(*options: str, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(SERVER), *options],
        capture_output=True,
        text=True,
        timeout=SECONDS,
        env=environment(**(env or {})),
        check=False,
    )


def complaint(done: subprocess.CompletedProcess[str], status: int) -> str:
    """The only line on stderr of a server that did not start."""
    assert (done.returncode, done.stdout) == (status, ""), done
    (line,) = done.stderr.splitlines()
    assert line.startswith("server.py: ")
    return line


@pytest.mark.parametrize("beginning", ["sanic", "Aiohttp-Tarantool"])
def test_the_beginning_of_a_name_offers_the_engines_that_have_it(beginning: str) -> None:
    done = run("-e", beginning)
    assert (done.returncode, done.stdout) == (2, "")
    first, *offered = done.stderr.splitlines()
    expected = [
        engine.name for engine in every_engine() if engine.name.startswith(f"{beginning.lower()}-")
    ]
    assert [line.split()[0] for line in offered] == expected
    assert f"{beginning!r} begins the names of {len(expected)} engines" in first


def test_without_an_engine_it_serves_the_first_that_runs_here() -> None:
    _must_run("aiohttp-tarantool-one-uvloop")
    line = complaint(run("-p", "0", env={"TARANTOOL_URL": "tarantool://127.0.0.1:1"}), 1)
    assert "TARANTOOL_URL" in line or "database" in line or "127.0.0.1" in line


@pytest.mark.parametrize("engine", [ENGINE, "japronto-memory-one"])
def test_pages_are_the_same_however_they_are_rendered(engine: str) -> None:
    _must_run(engine)
    pages = []
    lacks = next(entry for entry in listed() if entry["engine"] == engine)["no_render"]
    renders = [name for name in RENDERERS if name not in lacks]
    for render in renders:
        with serving(engine, environment(), "--render", render) as server:
            pages.append([get(server.url, path).body for path in ("/good", "/bad", "/missing")])
            assert server.stop() == 0
            assert server.log() == ""
    assert all(len(page) > 500 for page in pages[0])
    assert pages.count(pages[0]) == len(renders) > 1


@pytest.mark.parametrize(
    ("clock", "options", "said"),
    [
        ("noon", (), "SITE_CLOCK=noon: must be a time"),
        ("", ("--host", "no.such.invalid"), "no such host; try 127.0.0.1"),
        ("", ("--host", "x" * 70), "no such host; try 127.0.0.1"),
        ("", ("--host", "192.0.2.1"), "192.0.2.1 port 0: "),
        ("", ("-p", "{taken}"), "in use; try another -p"),
    ],
)
def test_a_server_that_cannot_start_says_so_in_one_line(
    clock: str, options: tuple[str, ...], said: str
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        filled = [word.format(taken=server.getsockname()[1]) for word in options]
        assert said in complaint(
            run("-e", ENGINE, "-p", "0", *filled, env={"SITE_CLOCK": clock}), 1
        )


@pytest.mark.parametrize(
    ("engine", "variable", "url"),
    [
        ("aiohttp-postgres-pool", "DATABASE_URL", "postgresql://nobody@127.0.0.1:{closed}/none"),
        ("aiohttp-postgres-one", "DATABASE_URL", "not a URL"),
        ("sanic-tarantool-pool", "TARANTOOL_URL", "tarantool://127.0.0.1:{silent}"),
        ("japronto-aiomysql-one", "MYSQL_URL", "mysql://nobody@/none?unix_socket=/no/such.sock"),
    ],
    ids=lambda it: str(it)[:60],
)
def test_a_database_that_cannot_be_reached_is_one_line(
    engine: str, variable: str, url: str
) -> None:
    check_unreachable(engine, variable, url)


def check_unreachable(engine: str, variable: str, url: str) -> None:
    _must_run(engine)
    with socket.create_server(("127.0.0.1", 0)) as silent, socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        ports = {"silent": silent.getsockname()[1], "closed": closed.getsockname()[1]}
        began = time.monotonic()
        done = run("-e", engine, "-p", "0", env={variable: url.format(**ports)})
    assert time.monotonic() - began < 12.0
    complaint(done, 1)


@pytest.mark.parametrize("web", ["aiohttp", "japronto"])
def test_workers_that_cannot_reach_the_database_say_so_once(web: str) -> None:
    engine = f"{web}-tarantool-one"
    _must_run(engine)
    url = "tarantool:///no/such.sock"
    complaint(run("-e", engine, "-p", "0", "--workers", "3", env={"TARANTOOL_URL": url}), 1)


def _must_run(engine: str) -> None:
    entry = next(entry for entry in listed() if entry["engine"] == engine)
    if not entry["runs"]:
        absent(f"{engine}: {entry['reason']}")


@lru_cache
def listed(*options: str) -> list[dict[str, Any]]:
    done = run("--list", "--json", *options)
    assert (done.returncode, done.stderr) == (0, "")
    found: list[dict[str, Any]] = json.loads(done.stdout)["engines"]
    return found


def test_the_json_list_names_every_engine_and_what_is_missing() -> None:
    entries = listed()
    assert [entry["engine"] for entry in entries] == [engine.name for engine in every_engine()]
    assert {way for entry in entries for way in entry["no_render"]} <= set(RENDERERS)
    factors = json.loads(run("--list", "--json").stdout)["factors"]
    assert list(factors.items()) == list(levels().items())
    assert set(entries[0]["factors"]) | {"render", "workers"} == set(factors)
    names = ("engine", "long_name", "runs", "reason", "python", "database", "gaps", "factors")
    for entry in entries:
        assert tuple(entry) == (*names, "no_render")
        engine = parse(entry["engine"])
        assert parse(entry["long_name"]) == engine
        assert entry["gaps"] == list(engine.gaps)
        assert entry["database"] == engine.plugins[1].database
        python = entry["python"] and entry["python"].rpartition(".")[0]
        assert entry["factors"] == {**engine.factors, "python": python}
        assert bool(entry["reason"]) != entry["runs"]


def test_the_list_is_a_line_for_each_part_of_an_engine() -> None:
    done, entries = run("--list"), listed()
    assert (done.returncode, done.stderr) == (0, "")
    *tables, end = done.stdout.split("\n\n")
    found = {line.split()[0]: line for table in tables for line in table.splitlines()[1:]}
    parts: dict[str, Mapping[str, Any]] = {
        "web": WEB,
        "server": SERVERS,
        "backend": BACKENDS,
        "loop": LOOPS,
    }
    assert [*found] == [part for one in parts.values() for part in one if part != OWN]
    for factor, names in parts.items():
        for name in set(names) - {OWN}:
            having = [entry for entry in entries if entry["factors"][factor] == name]
            assert ("  - " in found[name]) != any(entry["runs"] for entry in having), found[name]
    for name, backend in BACKENDS.items():
        assert ", ".join(backend.connections) in found[name]
    *lacking, form, more = end.splitlines()
    reasons = {why for entry in entries for why in entry["no_render"].values()}
    assert {line.partition("  - ")[2] for line in lacking} == reasons
    runs = sum(entry["runs"] for entry in entries)
    assert form.endswith(f"; {runs} of {len(entries)} run here.")
    assert "--list -e fastapi" in more


@pytest.mark.parametrize(
    ("name", "fits"),
    [
        ("Sanic", "web"),
        ("granian", "server"),
        ("sqlite", "backend"),
        ("gate", "connection"),
        ("uvloop", "loop"),
    ],
)
def test_the_list_of_a_part_names_the_engines_that_have_it(name: str, fits: str) -> None:
    done = run("--list", "-e", name)
    assert (done.returncode, done.stderr) == (0, "")
    expected = [entry for entry in listed() if entry["factors"][fits] == name.lower()]
    for line, entry in zip(done.stdout.splitlines(), expected, strict=True):
        engine, state = line.split(None, 1)
        assert engine == entry["engine"]
        note = parse(engine).plugins[1].note
        runs = f"CPython {entry['python']}" + (f" ({note})" if note else "")
        assert state == (runs if entry["runs"] else f"- {entry['reason']}")


def test_the_list_of_an_engine_is_its_line_and_of_no_engine_an_error() -> None:
    assert listed("-e", ENGINE) == [entry for entry in listed() if entry["engine"] == ENGINE]
    assert "there is no" in complaint(run("--list", "-e", "bottle-memory-one"), 2)


def test_a_reader_of_the_list_may_leave() -> None:
    """A reader such as `head` closes the pipe early."""
    command = [sys.executable, str(SERVER), "--list", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.close()
        process.wait(SECONDS)
        assert process.stderr is not None
        assert process.stderr.read() == b""


def test_the_list_without_the_system_programs_names_them() -> None:
    done = run("--list", "--json", env={"PATH": "/nonexistent"})
    reasons = {entry["engine"]: entry["reason"] for entry in json.loads(done.stdout)["engines"]}
    assert reasons[ENGINE] is None
    assert "tarantool" in reasons["aiohttp-tarantool-one"]
    assert "apt-get install tarantool" in reasons["aiohttp-tarantool-one"]


def test_an_interpreter_that_is_not_there_says_what_to_type() -> None:
    line = complaint(run("-e", ENGINE, "--python", "3.99"), 1)
    assert "make env PYTHONS=3.99" in line
    assert "only for {}.{}".format(*sys.version_info) in line
    assert not any(entry["runs"] for entry in listed("--python", "3.99"))
    assert "3.7 only" in complaint(run("-e", "japronto-memory-one", "--python", "3.12"), 1)


def outer(version: str) -> Path:
    """A bare interpreter of that version, without anything of the project's installed."""
    settings = ROOT / f".venv-{version}" / "pyvenv.cfg"
    if settings.exists():
        parser = configparser.ConfigParser()
        parser.read_string("[it]\n" + settings.read_text())
        return Path(parser["it"]["home"]) / f"python{version}"
    found = shutil.which(f"python{version}")
    if found is None:
        absent(f"no CPython {version}: pyenv install {version}")
    return Path(found)


@pytest.mark.parametrize("version", ["3.7", "3.11"])
@pytest.mark.parametrize("engine", [ENGINE, "japronto-memory-one-uvloop"])
def test_any_python_starts_any_engine(version: str, engine: str) -> None:
    """The server is started by another interpreter from another folder."""
    _must_run(engine)
    command = [str(outer(version)), "../server.py", "-e", engine, "-p", "0"]
    process = subprocess.Popen(
        command,
        cwd=ROOT / "docs",
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
    )
    try:
        match = SERVING.fullmatch(first_line(process, SECONDS))
        assert match
        assert int(match["pid"]) == process.pid
        assert match["engine"] == engine
        assert (match["python"].startswith("3.7")) == engine.startswith("japronto")
        assert get(match["url"], "/ugly").body == b"UGLY"
        process.send_signal(signal.SIGTERM)
        assert process.communicate(timeout=SECONDS) == (b"", b"")
        assert process.returncode == 0
    finally:
        process.kill()
        process.communicate()


def test_it_listens_on_the_loopback_alone() -> None:
    with serving(ENGINE, environment(), "--host", "127.0.0.2") as server:
        assert server.url.startswith("http://127.0.0.2:")
        assert get(server.url, "/ugly").status == 200
    for engine in (ENGINE, "japronto-memory-one"):
        _must_run(engine)
        with serving(engine, environment()) as server:
            assert server.url.startswith("http://127.0.0.1:")
            other = socket.gethostbyname(socket.gethostname())
            if other.startswith("127."):
                other = "127.0.0.2"
            with pytest.raises(ConnectionRefusedError):
                socket.create_connection((other, server.port), 5.0)


@pytest.mark.parametrize("level", ["info", "DEBUG"])
def test_the_log_tells_start_database_and_end(level: str) -> None:
    with serving(ENGINE, environment(), "-l", level) as server:
        assert isinstance(server, SiteServer)
        assert get(server.url, "/ugly").status == 200
        assert server.stop() == 0
        lines = server.log().splitlines()
    assert all(re.match(r"\d{4}-\d\d-\d\d ", line) for line in lines)
    own = [line.partition(" server: ")[2] for line in lines if " INFO server: " in line]
    assert [line.partition(":")[0] for line in own] == ["start", "database", "end"]
    assert ENGINE in own[0]
    assert "votes are in this process" in own[1]


def test_the_log_says_which_database_and_no_password(databases: Databases) -> None:
    if missing := find("postgres").missing():
        absent(missing)
    _must_run("aiohttp-postgres-one")
    url = databases.hold("postgres")
    env = databases.env_at("postgres", url)
    with serving("aiohttp-postgres-one", env, "-l", "info") as server:
        assert server.stop() == 0
        log = server.log()
    address = find("postgres").address(url)
    assert f"database: postgres at {address}, from DATABASE_URL" in log
    assert not address.password or address.password not in log
