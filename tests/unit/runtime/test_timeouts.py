from __future__ import annotations

from typing import NamedTuple

import pytest

from runtime.timeouts import timeouts


class Example(NamedTuple):
    request: float = 12.0
    idle: float = 75.0


def test_the_defaults_stay_without_a_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("EXAMPLE_TIMEOUTS", raising=False)
    assert timeouts(Example, "EXAMPLE_TIMEOUTS") == (12.0, 75.0)


def test_the_variable_changes_what_it_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EXAMPLE_TIMEOUTS", "idle=0.5, request=2")
    assert timeouts(Example, "EXAMPLE_TIMEOUTS") == (2.0, 0.5)


@pytest.mark.parametrize(
    ("value", "complaint"),
    [
        ("idel=1", "there is no timeout 'idel'; there are request, idle"),
        ("idle", "idle takes a number of seconds, not ''"),
        ("idle=soon", "idle takes a number of seconds, not 'soon'"),
        ("idle=0", "idle takes a number of seconds above 0, not '0'"),
        ("idle=nan", "idle takes a number of seconds above 0, not 'nan'"),
    ],
)
def test_a_wrong_value_is_one_line(
    value: str, complaint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EXAMPLE_TIMEOUTS", value)
    with pytest.raises(SystemExit) as refusal:
        timeouts(Example, "EXAMPLE_TIMEOUTS")
    assert refusal.value.code == f"EXAMPLE_TIMEOUTS: {complaint}"
