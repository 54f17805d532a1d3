"""The site's clock, and the same time stopped."""

from __future__ import annotations

import time

import pytest

from runtime.clock import VARIABLE, ClockError, clock


def test_it_is_the_machine_s(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    before = int(time.time())
    assert before <= clock()() <= time.time()


@pytest.mark.parametrize(
    ("text", "instant"),
    [
        ("2026-05-01T12:34:56Z", 1_777_638_896),
        ("2026-05-01T14:34:56+02:00", 1_777_638_896),
        ("1971-01-02T00:00:00Z", 366 * 86_400),
    ],
)
def test_it_can_be_stopped(text: str, instant: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, text)
    stopped = clock()
    assert [stopped(), stopped()] == [instant, instant]


@pytest.mark.parametrize(
    "text", ["noon", "2026-05-01", "2026-05-01T12:34:56", "2026-02-30T00:00:00Z", "1970-01-01T00Z"]
)
def test_what_is_no_time_is_refused(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, text)
    with pytest.raises(ClockError, match=f"{VARIABLE}=.*: must be a time since 1971"):
        clock()
