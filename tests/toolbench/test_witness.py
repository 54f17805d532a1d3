"""The harness's own connection to a database: it is not waited for without an end."""

from __future__ import annotations

import threading
from collections.abc import Mapping

import pytest

from race.errors import CellFailed
from runtime.plugin import Plugin
from toolbench import reference
from toolbench.check import Texts
from toolbench.operation import Operation

INTS = Operation(name="ints", title="Ints", text="Three.", kind="query")


class Hanging:
    """`toolbench.reference.Reference`: the first one hangs until it is told otherwise."""

    types: Mapping[str, str] = {"int4": "int"}
    over = threading.Event()
    made = 0

    def __init__(self, url: str) -> None:
        Hanging.made += 1
        self._hangs = Hanging.made == 1

    def reset(self, operation: Operation) -> None:
        """See above."""
        if self._hangs:
            self.over.wait(60)

    def expected(self, operation: Operation) -> Texts:
        """As of a database that says no."""
        raise CellFailed("no such table")

    def close(self) -> None:
        """Nothing."""


def test_a_database_that_hangs_fails_a_cell_and_is_asked_anew(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(reference.REFERENCES, "postgres", Plugin(f"{__name__}:Hanging"))
    monkeypatch.setattr(reference, "PATIENCE_SECONDS", 0.1)
    one = reference.reference("postgres", "postgresql:///")
    assert one.types == {"int4": "int"}
    with pytest.raises(CellFailed, match=r"postgres did not answer within 0\.1 s"):
        one.reset(INTS)
    one.reset(INTS)
    assert Hanging.made == 2
    with pytest.raises(CellFailed, match="no such table"):
        one.expected(INTS)
    one.close()
    Hanging.over.set()
