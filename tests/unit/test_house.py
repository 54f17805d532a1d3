"""Rules over all source files: which package may import which, and how large a folder may be."""

from __future__ import annotations

import ast
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import PurePath

import pytest

from data_interface import BACKENDS
from handlers import SERVERS, WEB
from runtime.paths import ROOT
from runtime.plugin import Plugin
from tests.support.imports import circles, closure, files_of, imports, sources, top
from toolbench.drivers import DRIVERS

OURS = {
    "data_interface",
    "databases",
    "handlers",
    "locustfiles",
    "race",
    "runtime",
    "server",
    "tests",
    "toolbench",
}
NEVER = {
    "runtime": OURS,
    "databases": OURS - {"runtime"},
    "data_interface": OURS - {"runtime", "databases"},
    "handlers": OURS - {"runtime", "databases", "data_interface"},
    "server": OURS - {"runtime", "databases", "data_interface", "handlers"},
    "race": {"handlers", "locustfiles", "server", "tests", "toolbench"},
    "toolbench": {"handlers", "locustfiles", "server", "tests"},
    "locustfiles": OURS,
}
SERVER_SIDE = ("server.py", "runtime/", "databases/", "handlers/", "data_interface/")
OLD_TOO = (
    *SERVER_SIDE,
    *(f"toolbench/{name}" for name in ("driver.py", "drivers.py", "languages.py", "runner/")),
    *("toolbench/timeouts.py", "toolbench/tool.py"),
)
SITE, APPLICATION, ITS_DATABASES = "race/web/", "race/app/", "race/app/database/"
UNKNOWN_TO_THE_CORE = {
    *("race.web", "race.app", "toolbench", "handlers", "data_interface", "databases"),
}
UNKNOWN_TO_AN_APPLICATION = {
    *("race.web", "toolbench", "handlers", "data_interface", "databases", "locust"),
}
ON_SAVED_RESULTS = ("race/stats/", "race/saved/", "race/analysis/", "race/report/")
LIVE = {"asyncio", "data_interface", "databases", "handlers", "psutil", "socket", "subprocess"}
SMALL = {"typing_extensions"}
MOST_MODULES = 15
KNOW_ENGINE_NAMES = ("handlers/engine.py",)
TAKEN_APART = re.compile(
    r"""(r?partition|r?split)\(["']-["']|(ends|starts)with\(["'][^"']*(-uvloop|aiohttp|sanic)"""
)

# The modules for the private parts of a library, and the library.
INTERNALS = {
    "handlers/servers/granian_internals.py": "granian",
    "handlers/servers/gunicorn_internals.py": "gunicorn",
    "handlers/web/aiohttp_internals.py": "aiohttp",
    "handlers/web/japronto_guard.py": "japronto",
    "handlers/web/sanic_internals.py": "sanic",
    "handlers/servers/uvicorn_internals.py": "uvicorn",
}

Trees = Mapping[str, ast.Module]
Rule = Callable[[Trees], Iterator[str]]


@pytest.fixture(scope="module")
def trees() -> Trees:
    return sources(ROOT)


def layers(trees: Trees) -> Iterator[str]:
    """A package imports one that it must not know."""
    for path, tree in trees.items():
        package = path.partition("/")[0].removesuffix(".py")
        forbidden = NEVER.get(package, set()) - {package}
        for name in sorted(top(imports(path, tree)) & forbidden):
            yield f"{path} imports {name}"


def standard_library(trees: Trees) -> Iterator[str]:
    """The package `runtime` needs nothing but CPython."""
    for path, tree in trees.items():
        if path.startswith("runtime/"):
            outside = top(imports(path, tree)) - sys.stdlib_module_names - {"runtime"}
            yield from (f"{path} imports {name}" for name in sorted(outside))


def core(trees: Trees) -> Iterator[str]:
    """The core of the harness imports a discipline, or an application's race knows the site."""
    for path, tree in trees.items():
        if not path.startswith("race/") or path.startswith(SITE):
            continue
        unknown = UNKNOWN_TO_THE_CORE
        if path.startswith(APPLICATION):
            own = {"databases"} if path.startswith(ITS_DATABASES) else set()
            unknown = UNKNOWN_TO_AN_APPLICATION - own
        for name in sorted(imports(path, tree)):
            if any(name == one or name.startswith(one + ".") for one in unknown):
                yield f"{path} imports {name}"


def plugins(trees: Trees) -> Iterator[str]:
    """A plugin imports another library than its own, or other code imports one of those."""
    allowed: dict[str, set[str]] = {}
    tools = (tool for tool in DRIVERS.values() if tool.needs)
    for plugin in [*WEB.values(), *SERVERS.values(), *BACKENDS.values(), *tools]:
        allowed.setdefault(_place(plugin), set()).update(top(plugin.needs))
    for path, library in INTERNALS.items():
        allowed[path] = {library}
    every = set().union(*allowed.values())
    for path, tree in trees.items():
        outside = top(imports(path, tree)) - sys.stdlib_module_names - OURS - SMALL
        own = next((place for place in allowed if path.startswith(place)), None)
        if own is not None:
            wrong = outside - allowed[own]
        elif path.startswith(SERVER_SIDE):
            wrong = outside & every
        else:
            continue
        yield from (f"{path} imports {name}" for name in sorted(wrong))


def saved_results(trees: Trees) -> Iterator[str]:
    """Statistics or reports import, directly or not, code that starts, drives or measures."""
    start = [path for path in trees if path.startswith(ON_SAVED_RESULTS)]
    for name, path in closure(start, trees).items():
        if top([name]) & LIVE:
            yield f"{path} imports {name}"


def unpatched(trees: Trees) -> Iterator[str]:
    """Code outside of locustfiles imports Locust, which replaces sockets and threads."""
    start = [path for path in trees if not path.startswith("locustfiles/")]
    for name, path in closure(start, trees).items():
        if top([name]) & {"gevent", "locust"}:
            yield f"{path} imports {name}"


def no_circle(trees: Trees) -> Iterator[str]:
    """Files import each other, late imports included."""
    for circle in circles(knows(trees)):
        yield "circle: " + ", ".join(circle)


def no_way_up(trees: Trees) -> Iterator[str]:
    """Packages, or folders and files of ``race``, import each other."""
    graph: dict[str, set[str]] = {}
    for path, files in knows(trees).items():
        graph.setdefault(room(path), set()).update(room(file) for file in files)
    for circle in circles({one: others - {one} for one, others in graph.items()}):
        yield "circle of rooms: " + ", ".join(circle)


def knows(trees: Trees) -> dict[str, set[str]]:
    """Return the files that each file imports; a package counts as its `__init__.py`."""
    found: dict[str, set[str]] = {}
    for path, tree in trees.items():
        names = [[file for file in files_of(name) if file in trees] for name in imports(path, tree)]
        found[path] = {files[-1] for files in names if files} - {path}
    return found


def room(path: str) -> str:
    """Return the room that a file is in: a package, or a folder of ``race``."""
    parts = PurePath(path).parts
    if parts[0] == "race" and parts[-1] != "__init__.py":
        return "/".join(parts[:2])
    return "/".join(parts[:2][: len(parts) - 1]) or path if parts[0] == "race" else parts[0]


def engine_names(trees: Trees) -> Iterator[str]:
    """Code outside of `handlers/engine.py` parses an engine's name."""
    for path in trees:
        if path.startswith(("tests/", *KNOW_ENGINE_NAMES)) or not (ROOT / path).exists():
            continue
        for number, line in enumerate((ROOT / path).read_text().splitlines(), start=1):
            if TAKEN_APART.search(line):
                yield f"{path}:{number} takes a name apart"


def _place(plugin: Plugin) -> str:
    """Return the path of a plugin's module, or of its package with a slash at the end."""
    place = plugin.target.partition(":")[0].replace(".", "/")
    return f"{place}/" if (ROOT / place).is_dir() else f"{place}.py"


RULES: list[Rule] = [
    layers,
    standard_library,
    core,
    plugins,
    saved_results,
    unpatched,
    no_circle,
    no_way_up,
    engine_names,
]


@pytest.mark.parametrize("rule", RULES)
def test_no_file_breaks_the_rule(rule: Rule, trees: Trees) -> None:
    assert not list(rule(trees))


BROKEN = [
    (layers, "handlers/x.py", "from race.plan import order", "handlers/x.py imports race"),
    (layers, "race/x.py", "def f():\n import handlers.site", "race/x.py imports handlers"),
    (layers, "databases/x.py", "import data_interface.store", "imports data_interface"),
    (layers, "data_interface/x.py", "from tests.conftest import y", "imports tests"),
    (layers, "locustfiles/users.py", "import race", "locustfiles/users.py imports race"),
    (layers, "toolbench/x.py", "import server", "toolbench/x.py imports server"),
    (layers, "race/x.py", "import tests.support", "race/x.py imports tests"),
    (standard_library, "runtime/x.py", "import jinja2", "runtime/x.py imports jinja2"),
    (core, "race/run/x.py", "from race.web import pages", "race/run/x.py imports race.web"),
    (core, "race/x.py", "import toolbench.discipline", "imports toolbench.discipline"),
    (core, "race/app/x.py", "import race.web.pages", "race/app/x.py imports race.web.pages"),
    (core, "race/load/x.py", "import race.web.changes", "race/load/x.py imports race.web.changes"),
    (core, "race/app/x.py", "from databases import find", "race/app/x.py imports databases"),
    (core, "race/machine/x.py", "from databases import find", "imports databases"),
    (plugins, "handlers/web/aiohttp_web.py", "import sanic", "imports sanic"),
    (plugins, "handlers/site.py", "from aiohttp import web", "handlers/site.py imports aiohttp"),
    (plugins, "server.py", "import asyncpg", "server.py imports asyncpg"),
    (plugins, "data_interface/postgres/data.py", "import sqlalchemy", "imports sqlalchemy"),
    (plugins, "data_interface/postgres/sqlalchemy_store/x.py", "import psycopg", "imports psycopg"),
    (saved_results, "race/stats/x.py", "import subprocess", "race/stats/x.py imports subprocess"),
    (saved_results, "race/report/x.py", "import race.lab", "race/lab.py imports subprocess"),
    (unpatched, "race/x.py", "import locust.stats", "race/x.py imports locust.stats"),
    (unpatched, "tests/x.py", "import locustfiles.lib", "locustfiles/lib.py imports gevent"),
    (no_circle, "race/lab.py", "import race.lob", "circle: race/lab.py, race/lob.py"),
    (no_way_up, "race/a/x.py", "import race.b.y", "circle of rooms: race/a, race/b"),
]
OTHERS = {
    "race/lab.py": "import subprocess",
    "race/lob.py": "def f():\n from race.lab import g",
    "race/b/y.py": "import race.a.z",
    "locustfiles/lib.py": "import gevent",
    "race/a/z.py": "",
}


@pytest.mark.parametrize(("rule", "path", "code", "complaint"), BROKEN)
def test_a_broken_rule_is_seen(rule: Rule, path: str, code: str, complaint: str) -> None:
    trees = {name: ast.parse(text) for name, text in {**OTHERS, path: code}.items()}
    assert any(complaint in found for found in rule(trees)), list(rule(trees))


@pytest.mark.parametrize("line", ['x.split("-")', 'x.endswith("-uvloop")', 'x.partition("-")[0]'])
def test_a_name_taken_apart_is_seen(line: str) -> None:
    assert TAKEN_APART.search(line)


def test_the_rules_see_the_project(trees: Trees) -> None:
    assert {"server.py", "handlers/site.py", "data_interface/store.py"} <= set(trees)
    assert any(path.startswith(ON_SAVED_RESULTS) for path in trees)
    assert any(path.startswith((SITE, APPLICATION)) for path in trees)


def test_what_runs_on_3_7_has_its_syntax(trees: Trees) -> None:
    for path in filter(lambda name: name.startswith(OLD_TOO), trees):
        ast.parse((ROOT / path).read_bytes(), path, feature_version=(3, 7))


def test_nothing_shadows_the_tarantool_connector(trees: Trees) -> None:
    assert not [path for path in trees if path.startswith("tarantool/")]


def test_a_stranger_finds_the_module_in_its_folder(trees: Trees) -> None:
    rooms = Counter(str(PurePath(path).parent) for path in trees if "__init__" not in path)
    crowded = {folder: number for folder, number in rooms.items() if number > MOST_MODULES}
    assert not crowded


def test_nobody_asks_the_formatter_to_look_away(trees: Trees) -> None:
    """A call that needs this has too many arguments."""
    mark = "fmt" + ": skip"
    assert not [path for path in trees if mark in (ROOT / path).read_text()]
