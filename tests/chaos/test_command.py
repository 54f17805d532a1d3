"""``python -m chaos``: every fault gets its turn, and the exit status says what was survived."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import chaos.__main__ as command
from chaos import FAULTS
from chaos.lab import Fault, Lab
from chaos.seen import Seen
from databases.home import folder
from runtime.paths import ROOT


def survived(lab: Lab) -> Iterator[Seen]:
    yield Seen("one", "once")


def lost(lab: Lab) -> Iterator[Seen]:
    yield Seen("two", "once", wrong=["it fell over"])


def broken(lab: Lab) -> Iterator[Seen]:
    yield Seen("three", "once")
    raise RuntimeError("no more")


def endless(lab: Lab) -> Iterator[Seen]:
    yield Seen("four", "once")
    time.sleep(30)


def does(monkeypatch: pytest.MonkeyPatch, **faults: Fault) -> None:
    monkeypatch.setattr(command, "chosen", lambda names: faults)


def made(run: object, bound: float = 20.0) -> Fault:
    return Fault("a fault", "It holds.", bound, run)  # type: ignore[arg-type]


def test_every_fault_is_there_and_says_what_it_holds_against_what() -> None:
    faults = command.chosen([])
    assert list(faults) == list(FAULTS)
    assert len({fault.title for fault in faults.values()}) == len(faults)
    for fault in faults.values():
        assert fault.promise.endswith(".")
        assert 0 < fault.bound <= 3600
    files = {path.stem for path in (ROOT / "chaos/faults").glob("*.py")} - {"__init__"}
    assert files == set(FAULTS)


def test_an_unknown_fault_is_refused_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["hostil"]) == 2
    said = capsys.readouterr().err
    assert said == "chaos: unknown fault 'hostil': did you mean 'hostile'?\n"


def test_one_that_breaks_down_or_takes_too_long_hides_no_other(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    does(monkeypatch, a=made(broken), b=made(endless, 0.3), c=made(lost), d=made(survived))
    saved = tmp_path / "seen.json"
    assert command.main(["--json", str(saved)]) == 1
    rows = json.loads(saved.read_text())["rows"]
    assert [row["complaints"] for row in rows] == [
        [],
        ["RuntimeError: no more"],
        [],
        ["not done after 0 s"],
        ["it fell over"],
        [],
    ]
    assert "3 of 6 survived." in capsys.readouterr().out


def stopped(lab: Lab) -> Iterator[Seen]:
    yield Seen("five", "once")
    raise KeyboardInterrupt


def test_an_interruption_keeps_what_was_seen(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    does(monkeypatch, a=made(lost), b=made(stopped), c=made(survived))
    saved, written = tmp_path / "seen.json", tmp_path / "reliability.md"
    assert command.main(["--json", str(saved), "--output", str(written)]) == 130
    assert [row["subject"] for row in json.loads(saved.read_text())["rows"]] == ["two", "five"]
    assert not written.exists()
    assert "1 of 2 survived." in capsys.readouterr().out


def test_all_is_well_when_all_survived(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    does(monkeypatch, a=made(survived))
    written = tmp_path / "reliability.md"
    assert command.main(["--short", "--seed", "3", "--output", str(written)]) == 0
    text = written.read_text()
    assert "seed 3,\n1 minutes (a short run: fewer of each). 1 of 1 survived." in text
    assert list(tmp_path.iterdir()) == [written]


def test_no_database_of_somebody_else_comes_to_harm(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://somebody@elsewhere/else")
    monkeypatch.setenv("POOL_SIZE", "3")
    before = dict(os.environ)
    lab = Lab(tmp_path, short=True, seed=1)
    try:
        assert "DATABASE_URL" not in os.environ
        assert "POOL_SIZE" not in os.environ
        assert folder("tarantool").is_relative_to(tmp_path)
    finally:
        lab.close()
    assert dict(os.environ) == before


def test_dice_fall_the_same_again(tmp_path: Path) -> None:
    found = []
    for seed in (1, 1, 2):
        lab = Lab(tmp_path, short=True, seed=seed)
        found.append((lab.dice("a").random(), lab.dice("b").random()))
        lab.close()
    assert found[0] == found[1] != found[2]
    assert len(set(found[0])) == 2
