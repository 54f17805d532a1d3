"""The reference is not waited for longer than its timeout."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence

import pytest

from race.errors import CellFailed
from runtime.plugin import Plugin
from toolbench import reference
from toolbench.check import Texts
from toolbench.operation import OperationSpec
from toolbench.timeouts import TIMEOUTS

INTS = OperationSpec(name="ints", title="Ints", text="Three.", kind="query")


class HangingReference:
    """A `Reference` of which the first instance hangs, and the others refuse."""

    types: Mapping[str, str] = {"int4": "int"}
    over = threading.Event()
    made = 0

    def __init__(self, url: str) -> None:
        HangingReference.made += 1
        self._hangs = HangingReference.made == 1

    def run(self, statements: Sequence[str]) -> None:
        if self._hangs:
            self.over.wait(60)

    def expected(self, operation: OperationSpec) -> Texts:
        raise CellFailed("no such table")

    def close(self) -> None: ...


def test_a_database_that_hangs_fails_a_cell_and_is_asked_on_a_new_connection(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plugin = Plugin(f"{__name__}:HangingReference")
    monkeypatch.setitem(reference.REFERENCES, "postgres", plugin)
    monkeypatch.setattr(reference, "TIMEOUTS", TIMEOUTS._replace(reference=0.1))
    one = reference.TimedReference("postgres", "postgresql:///")
    assert one.types == {"int4": "int"}
    with pytest.raises(CellFailed, match=r"postgres did not answer within 0\.1 s"):
        one.run(INTS.reset)
    one.run(INTS.reset)
    assert HangingReference.made == 2
    with pytest.raises(CellFailed, match="no such table"):
        one.expected(INTS)
    one.close()
    HangingReference.over.set()
