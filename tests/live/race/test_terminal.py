"""The doctor, and a race at fixed rates, on the real machine."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from race.cli import main
from tests.support.race_lab import Race, scenario


def test_the_doctor_looks_at_everything(capsys: pytest.CaptureFixture[str]) -> None:
    status = main(["doctor", "--json"])
    answer = json.loads(capsys.readouterr().out)
    subjects = {one["subject"] for one in answer["findings"]}
    assert subjects >= {"wrk", "oha", "tarantool", "postgres", "engines", "interpreters"}
    assert subjects >= {"cores", "governor", "foreign CPU", "steal", "steadiness"}
    assert status == (0 if answer["good"] else 1)
    for one in answer["findings"]:
        assert one["text"]


def test_an_open_loop_race_counts_every_request_that_was_due(tmp_path: Path) -> None:
    if not (shutil.which("oha") or (Path.home() / ".cargo/bin/oha").exists()):
        pytest.skip("oha is not installed: make oha (it is optional)")
    path = scenario(tmp_path, ["aiohttp-memory-one"], ["ugly"], more="")
    path.write_text(
        path.read_text().replace("[load]", "[load]\nrates = [200]\nopen_duration_s = 1")
    )
    with Race(["run", str(path)], tmp_path / "results") as race:
        assert race.wait() == 0, race.text()
        rated = [cell for cell in race.saved_race().cells if cell.load.rate]
    assert len(rated) == 2
    for cell in rated:
        assert cell.count is not None
        # Those due in the last hundredth of the second may or may not leave.
        assert 198 <= cell.count + cell.errors["timeout"] <= 200
        assert cell.load.generator == "oha"
        assert sum(count for _, count in cell.histogram) == cell.count
