"""The import rules of the design, over all files: who may know whom."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterator, Mapping

import pytest

from data_interface import BACKENDS
from handlers import WEB
from runtime.paths import ROOT
from runtime.plugin import Plugin
from tests.support.imports import closure, imports, sources, top

OURS = {
    "data_interface",
    "databases",
    "runtime",
    "handlers",
    "locustfiles",
    "race",
    "server",
    "tests",
    "toolbench",
}
NEVER = {
    "handlers": {"race", "locustfiles", "tests", "toolbench"},
    "data_interface": {"handlers", "race", "locustfiles", "server", "tests", "toolbench"},
    "race": {"handlers", "locustfiles", "server", "tests"},
    "locustfiles": OURS,
}
SERVER_SIDE = ("server.py", "runtime/", "databases/", "handlers/", "data_interface/")
ON_SAVED_RESULTS = ("race/stats/", "race/report")
LIVE = {"asyncio", "data_interface", "handlers", "psutil", "socket", "subprocess"}
SMALL = {"typing_extensions"}

Trees = Mapping[str, ast.Module]
Rule = Callable[[Trees], Iterator[str]]


@pytest.fixture(scope="module")
def trees() -> Trees:
    return sources(ROOT)


def layers(trees: Trees) -> Iterator[str]:
    """A package imports one that must not know it, or that it must not know."""
    for path, tree in trees.items():
        forbidden = NEVER.get(path.partition("/")[0], set()) - {path.partition("/")[0]}
        for name in sorted(top(imports(path, tree)) & forbidden):
            yield f"{path} imports {name}"


def plugins(trees: Trees) -> Iterator[str]:
    """An adapter or store imports more than its own framework or driver; others import any."""
    allowed = {_file(plugin): set(plugin.needs) for plugin in [*WEB.values(), *BACKENDS.values()]}
    every = set().union(*allowed.values())
    for path, tree in trees.items():
        outside = top(imports(path, tree)) - sys.stdlib_module_names - OURS - SMALL
        if path in allowed:
            wrong = outside - allowed[path]
        elif path.startswith(SERVER_SIDE):
            wrong = outside & every
        else:
            continue
        yield from (f"{path} imports {name}" for name in sorted(wrong))


def saved_results(trees: Trees) -> Iterator[str]:
    """Statistics or the report reach something that starts, drives or measures."""
    start = [path for path in trees if path.startswith(ON_SAVED_RESULTS)]
    for name, path in closure(start, trees).items():
        if top([name]) & LIVE:
            yield f"{path} imports {name}"


def _file(plugin: Plugin) -> str:
    return plugin.target.partition(":")[0].replace(".", "/") + ".py"


@pytest.mark.parametrize("rule", [layers, plugins, saved_results])
def test_no_file_breaks_the_rule(rule: Rule, trees: Trees) -> None:
    assert not list(rule(trees))


BROKEN = [
    (layers, "race/x.py", "import handlers.site", "handlers"),
    (layers, "handlers/x.py", "def f():\n    from race import plan", "race"),
    (layers, "data_interface/x.py", "from handlers import WEB", "handlers"),
    (layers, "locustfiles/x.py", "from data_interface.store import Data", "data_interface"),
    (plugins, "handlers/aiohttp_web.py", "import sanic", "sanic"),
    (plugins, "data_interface/asyncpg_store.py", "import asynctnt", "asynctnt"),
    (plugins, "handlers/site.py", "from aiohttp import web", "aiohttp"),
    (plugins, "server.py", "import asyncpg", "asyncpg"),
    (saved_results, "race/stats/x.py", "import subprocess", "subprocess"),
    (saved_results, "race/report/x.py", "from ..servers import Server", "subprocess"),
]


@pytest.mark.parametrize(("rule", "path", "code", "name"), BROKEN)
def test_a_broken_rule_is_seen(rule: Rule, path: str, code: str, name: str) -> None:
    trees = {path: ast.parse(code), "race/servers.py": ast.parse("import subprocess")}
    assert [found.split()[-1].partition(".")[0] for found in rule(trees)] == [name]


def test_the_rules_see_the_project(trees: Trees) -> None:
    assert {"server.py", "handlers/site.py", "data_interface/store.py"} <= set(trees)
    assert any(path.startswith(ON_SAVED_RESULTS) for path in trees)


def test_the_server_side_has_the_syntax_of_3_7(trees: Trees) -> None:
    for path in filter(lambda name: name.startswith(SERVER_SIDE), trees):
        ast.parse((ROOT / path).read_bytes(), path, feature_version=(3, 7))


def test_nothing_shadows_the_tarantool_connector(trees: Trees) -> None:
    assert not [path for path in trees if path.startswith("tarantool/")]
