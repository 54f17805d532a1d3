"""The rule of --require-all, seen from outside: in a pytest of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from handlers.engine import every_engine
from runtime.paths import ROOT
from tests.support.groups import group

TEST = """
from tests.conftest import absent

def test_needs_a_component():
    absent("no such program; to get it: apt-get install it")
"""


@pytest.mark.parametrize(
    ("arguments", "status", "closing"),
    [([], 0, "1 skipped"), (["--require-all"], 1, "1 failed")],
    ids=["locally", "require-all"],
)
def test_an_absent_component(
    arguments: list[str], status: int, closing: str, tmp_path: Path
) -> None:
    test = tmp_path / "test_component.py"
    test.write_text(TEST)
    pytest_with_option = ["-m", "pytest", "-p", "tests.conftest", "-p", "no:cacheprovider"]
    run = subprocess.run(
        [sys.executable, *pytest_with_option, "-c", ROOT / "pyproject.toml", *arguments, test],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert run.returncode == status, run.stdout + run.stderr
    assert closing in run.stdout.splitlines()[-1]
    assert "no such program" in run.stdout


def test_tests_of_one_framework_on_one_backend_share_a_process() -> None:
    for engine in every_engine():
        pair = f"{engine.web}-{engine.backend}"
        assert group(f"tests/engines/test_a.py::test_b[{engine.name}]") == pair
        assert group(f"tests/engines/test_a.py::test_b[GET-/stickers-{engine.name}]") == pair
        assert group(f"tests/site/test_a.py::test_b[{engine.name}]") == "tests/site/test_a.py"
    assert group("tests/engines/test_a.py::test_b") == "tests/engines/test_a.py"
