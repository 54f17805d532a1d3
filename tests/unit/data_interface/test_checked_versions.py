"""Private parts of drivers are used with the versions that they were checked with."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest

from runtime.paths import ROOT

PIN = re.compile(r"^([\w.-]+)==([\w.]+)", re.MULTILINE)


def checked() -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Yield each module with ``CHECKED_VERSIONS``, its library and the versions."""
    rooms = ("data_interface", "toolbench")
    for path in (path for room in rooms for path in sorted((ROOT / room).rglob("*.py"))):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "CHECKED_VERSIONS":
                for library, versions in ast.literal_eval(node.value).items():
                    yield path.name, library, versions


def locked(library: str) -> set[str]:
    """Return the versions of a library in all locks."""
    locks = (ROOT / "requirements").glob("*.txt")
    pins = [pin for lock in locks for pin in PIN.findall(lock.read_text())]
    return {version for name, version in pins if name == library}


@pytest.mark.parametrize(("module", "library", "versions"), list(checked()))
def test_the_locks_have_the_checked_versions(
    module: str, library: str, versions: tuple[str, ...]
) -> None:
    advice = f"look at what {module} says of {library}'s private parts, then set CHECKED_VERSIONS"
    assert locked(library) == set(versions), advice


def test_the_modules_are_found() -> None:
    libraries = {library for _, library, _ in checked()}
    assert libraries == {
        *("aiomysql", "aiotarantool", "asyncmy", "asynctnt", "japronto", "psycopg"),
        *("aiosqlite", "tarantool", "valkey"),
    }
