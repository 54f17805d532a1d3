"""Code that reaches into a library was checked with the version in the locks."""

from __future__ import annotations

import ast
import re

import pytest

from runtime.paths import ROOT
from tests.unit.test_house import INTERNALS


def checked(path: str) -> dict[str, str]:
    """Return the table of a module, which need not be importable on this interpreter."""
    tree = ast.parse((ROOT / path).read_text())
    tables = [
        node.value
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "CHECKED"
    ]
    (table,) = map(ast.literal_eval, tables)
    assert isinstance(table, dict)
    return table


@pytest.mark.parametrize("path", INTERNALS)
def test_the_locked_version_is_the_one_that_was_checked(path: str) -> None:
    library = INTERNALS[path]
    for lock, version in checked(path).items():
        text = (ROOT / "requirements" / f"{lock}.txt").read_text()
        locked = re.findall(rf"^{library}==(\S+)", text, re.MULTILINE)
        assert locked == [version], (
            f"requirements/{lock}.txt has {library} {locked}, but {path} was checked with "
            f"{version}: run tests/live/engines -k {library}, then update CHECKED there"
        )


def test_every_module_that_reaches_into_a_library_is_listed() -> None:
    found = {
        str(path.relative_to(ROOT))
        for path in (ROOT / "handlers").rglob("*.py")
        if re.search(r"^CHECKED = ", path.read_text(), re.MULTILINE)
    }
    assert found == set(INTERNALS)
