"""The imports of source files, read from their syntax trees."""

from __future__ import annotations

import ast
import gc
import os
from collections.abc import Iterable, Iterator, Mapping, Set
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

SKIPPED = {"build", "dist", "node_modules", "results", "var"}


@cache
def sources(root: Path) -> dict[str, ast.Module]:
    """Return the syntax tree of each Python file of a project by its relative path."""
    gc.disable()  # it would look at millions of nodes that all stay, again and again
    try:
        return dict(_parsed(root))
    finally:
        gc.enable()


def _parsed(root: Path) -> Iterator[tuple[str, ast.Module]]:
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if not _is_skipped(name))
        for path in (Path(folder, name) for name in sorted(files) if name.endswith(".py")):
            yield path.relative_to(root).as_posix(), ast.parse(path.read_bytes(), str(path))


@cache
def imports(path: str, tree: ast.Module) -> frozenset[str]:
    """Return the dotted names imported anywhere in a file, functions included.

    ``from a import b`` gives both "a" and "a.b", since b may be a module. Relative imports are
    resolved against the file's own package.
    """
    return frozenset(name for node in ast.walk(tree) for name in _names(node, path))


def top(names: Iterable[str]) -> set[str]:
    """Return the top-level packages of dotted names."""
    return {name.partition(".")[0] for name in names}


def closure(start: Iterable[str], trees: Mapping[str, ast.Module]) -> dict[str, str]:
    """Return each dotted name that the start files import, with the file that imports it.

    Imports through the project's own files count.
    """
    found: dict[str, str] = {}
    waiting = list(start)
    seen = set(waiting)
    while waiting:
        path = waiting.pop()
        for name in imports(path, trees[path]):
            found.setdefault(name, path)
            new = {file for file in files_of(name) if file in trees} - seen
            seen |= new
            waiting += sorted(new)
    return found


def _is_skipped(part: str) -> bool:
    return part.startswith(".") or part in SKIPPED


def _names(node: ast.AST, path: str) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        base = _base(node, path)
        yield base
        yield from (f"{base}.{alias.name}" for alias in node.names)


def _base(node: ast.ImportFrom, path: str) -> str:
    folders = path.split("/")[: -node.level] if node.level else []
    return ".".join([*folders, *filter(None, [node.module])])


def files_of(name: str) -> Iterator[str]:
    """Return the files that importing a dotted name runs, if it is a module of the project."""
    parts = name.split(".")
    for length in range(1, len(parts) + 1):
        stem = "/".join(parts[:length])
        yield from (f"{stem}.py", f"{stem}/__init__.py")


def circles(graph: Mapping[str, Set[str]]) -> list[list[str]]:
    """Return circles of a graph: one, then the next without the first node of that one, ..."""
    left = {node: set(others) for node, others in graph.items()}
    found = []
    while True:
        try:
            TopologicalSorter(left).prepare()
        except CycleError as error:
            circle: list[str] = error.args[1]
            found.append(sorted(set(circle)))
            left.pop(circle[0], None)
        else:
            return found
