"""The rules of the test run itself: --require-all, and the groups of pytest-xdist."""

from __future__ import annotations

import itertools

import pytest

from data_interface import BACKENDS
from handlers import SERVERS, WEB
from handlers.engine import every_engine, parse, plain_server
from tests import conftest
from tests.support.engines import (
    EACH_BACKEND,
    EACH_WEB,
    MAIN,
    ON_EACH_SERVER,
    ON_EACH_WEB,
    PAIRS,
)
from tests.support.groups import group


@pytest.mark.parametrize(
    ("required", "outcome"), [(False, pytest.skip.Exception), (True, pytest.fail.Exception)]
)
def test_an_absent_component_skips_or_fails(
    required: bool, outcome: type[BaseException], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(conftest._options, "require_all", required)
    with pytest.raises(outcome, match="no such program"):
        conftest.absent("no such program; to get it: apt-get install it")


def test_tests_of_one_framework_on_one_backend_share_a_process() -> None:
    for engine in every_engine():
        server = "" if engine.server == plain_server(engine.web) else f"-{engine.server}"
        pair = f"{engine.web}{server}-{engine.backend}"
        assert group(f"tests/live/engines/test_a.py::test_b[{engine.name}]") == pair
        assert group(f"tests/live/engines/test_a.py::test_b[GET-/x-{engine.name}]") == pair
        assert group(f"tests/live/site/test_a.py::test_b[{engine.name}]").endswith("test_a.py")
    assert group("tests/live/engines/test_a.py::test_b") == "tests/live/engines/test_a.py"


def test_each_two_levels_that_go_together_meet_in_the_cover() -> None:
    def pairs(name: str) -> set[object]:
        return set(itertools.combinations(parse(name).factors.items(), 2))

    assert set().union(*map(pairs, PAIRS)) == set().union(*(pairs(it.name) for it in MAIN))
    assert len(PAIRS) < len(MAIN) / 4
    assert [parse(name).web for name in EACH_WEB] == list(dict.fromkeys(it.web for it in MAIN))
    assert [parse(name).web for name in ON_EACH_WEB] == list(WEB)
    assert {parse(name).server for name in ON_EACH_SERVER} == set(SERVERS)
    stored = [name for name, backend in BACKENDS.items() if backend.database]
    assert sorted(parse(name).backend for name in EACH_BACKEND) == sorted(stored)
