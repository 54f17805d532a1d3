"""The documents name what is there: links, paths, and the words of the glossary."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from runtime.paths import ROOT
from tests.support.imports import sources

DOCUMENTS = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md"))]
LINK = re.compile(r"\]\((?!https?://|#)([^)#\s]+)")
FOLDERS = (
    "data_interface|databases|docs|handlers|locustfiles|race|races|runtime|scripts|tests|toolbench"
)
PATH = re.compile(rf"`((?:{FOLDERS})/[\w./-]+)`")
TAG = re.compile(r"\bv0\.\d+\b")
GLOSSARY = ROOT / "docs" / "glossary.md"
ROW = re.compile(
    r"^\| \*\*(?P<word>[^*]+)\*\* \| (?P<meaning>[^|]+) \| (?P<instead>[^|]*) \|$", re.MULTILINE
)
OLD_WORDS = {
    word.strip()
    for row in ROW.finditer(GLOSSARY.read_text(encoding="utf-8"))
    for word in row["instead"].split(",")
    if word.strip()
}


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_links_and_paths_exist(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    targets = [path.parent / link for link in LINK.findall(text)]
    targets += [ROOT / name for name in PATH.findall(text)]
    assert [str(target) for target in targets if not target.exists()] == []


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_no_document_names_a_tag(path: Path) -> None:
    """Tags are not in every clone: documents name commits."""
    assert TAG.findall(path.read_text(encoding="utf-8")) == []


def test_the_readme_stays_short() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 200


def test_the_glossary_has_old_words() -> None:
    assert {"keeper", "contest", "crowd"} <= OLD_WORDS


def test_no_public_name_has_a_word_that_the_glossary_replaced() -> None:
    wrong = [
        f"{path}: {name}"
        for path, tree in sources(ROOT).items()
        if not path.startswith("tests/")
        for name in [Path(path).stem, *_public_names(tree)]
        if OLD_WORDS & set(_words(name))
    ]
    assert wrong == []


def _public_names(tree: ast.Module) -> Iterator[str]:
    kinds = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    for node in ast.walk(tree):
        if isinstance(node, kinds) and not node.name.startswith("_"):
            yield node.name


def _words(name: str) -> list[str]:
    """Return the words of an identifier, in lower case."""
    return re.findall(r"[a-z]+|\d+", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower())


@pytest.mark.parametrize(
    ("name", "words"), [("RunComparison", ["run", "comparison"]), ("user_load", ["user", "load"])]
)
def test_an_identifier_has_words(name: str, words: list[str]) -> None:
    assert _words(name) == words


def test_the_tests_that_find_a_defect_are_there() -> None:
    """The table of docs/testing.md names tests as `unit/folder/test_file.py::test_name`."""
    text = (ROOT / "docs" / "testing.md").read_text(encoding="utf-8")
    named = re.findall(r"`((?:unit|live|long)/[\w/]+\.py)::(\w+)`", text)
    assert len(named) > 30
    files = {path: ROOT / "tests" / path for path, _ in named}
    sources = {path: file.read_text() if file.exists() else "" for path, file in files.items()}
    missing = [f"{path}::{name}" for path, name in named if f"def {name}(" not in sources[path]]
    assert not missing, "\n".join(missing)
