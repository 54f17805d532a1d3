"""Whole races on real servers, small: what is saved, shown, counted and repeated."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from race.cli import main
from race.commands import run
from race.plan import read
from race.plan.forecast import Plan
from race.saved.head import Head
from race.saved.model import CALIBRATION, Work
from race.saved.reader import CELLS_FILE
from tests.support.race_lab import Race, scenario
from tests.support.site_server import Databases

ENGINE = "aiohttp-memory-one"
TWIN = "aiohttp-memory-one (A/A)"
HARNESS_SHARE = 0.03
PROGRAM = """
[programs.slowed]
command = ["{python}", "-m", "race.web.programs.slowed_server", "0.2", "-e", "aiohttp-memory-one"]
"""


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Race]:
    """A race of an engine and of a program that its scenario names, which went well."""
    folder = tmp_path_factory.mktemp("finished")
    contenders, pages = [ENGINE, "slowed"], ["ugly", "index"]
    path = scenario(folder, contenders, pages, duration=0.5, pipeline=[1, 24], more=PROGRAM)
    with Race(["run", str(path), "--seed", "7"], folder / "results") as race:
        assert race.wait() == 0, race.text()
        yield race


def test_every_cell_is_saved_and_has_its_figures(finished: Race) -> None:
    run = finished.saved_race()
    assert not run.problems
    assert [(cell.round, cell.order) for cell in run.cells] == [
        (number, order) for number in (CALIBRATION, 1) for order in range(9)
    ]
    assert {cell.label for cell in run.cells} == {ENGINE, TWIN, "slowed"}
    for cell in run.cells:
        assert cell.status == "ok", cell.reason
        assert cell.throughput is not None
        assert cell.throughput > 100
        assert cell.meters["cpu_ns"]["server"] > 0
        assert cell.meters["cpu_ns"]["generator"] > 0
        assert cell.meters["memory_bytes"]["server"] > 10_000_000
        assert cell.latency_us["p50"] <= cell.latency_us["p99"]
        assert sum(count for _, count in cell.histogram) > 0
        assert cell.meters["switches"]["voluntary"] >= 0


def test_only_the_page_without_a_database_is_pipelined(finished: Race) -> None:
    kinds = {(cell.task, cell.load.pipeline) for cell in finished.saved_race().cells}
    assert kinds == {("ugly", 1), ("ugly", 24), ("index", 1)}


def test_all_contenders_of_a_task_have_the_same_number_of_connections(finished: Race) -> None:
    used: dict[Work, set[int | None]] = {}
    for cell in finished.saved_race().cells:
        if cell.round != CALIBRATION:
            used.setdefault(cell.work, set()).add(cell.connections_used)
    assert len(used) == 3
    assert all(len(found) == 1 for found in used.values())


def test_the_head_says_how_to_repeat_it(finished: Race) -> None:
    head = finished.saved_race().head
    assert head.command[-2:] == ["--seed", "7"]
    assert head.finished_at is not None
    assert head.environment.versions["wrk"]
    assert head.environment.interpreters[ENGINE].packages["aiohttp"]
    first, _, twin = head.contenders
    assert first.factors == twin.factors
    assert first.factors["web"] == "aiohttp"


def test_a_race_like_another_takes_all_that_it_had(
    finished: Race, monkeypatch: pytest.MonkeyPatch
) -> None:
    planned: list[tuple[Head, Plan]] = []
    monkeypatch.setattr(run, "carry_out", lambda _, head, plan, __: planned.append((head, plan)))
    where = ["--results", str(finished.saved)]
    main(["run", "--like", "latest", "--rounds", "2", "--run-programs", *where])
    first, ((head, plan),) = finished.saved_race().head, planned
    assert head.contenders == first.contenders
    assert plan.scenario == read.from_json({**first.scenario, "rounds": 2})
    assert head.connections == {"ugly": 10, "ugly x24": 8, "index": 10}
    assert head.command[:6] == ["race", "run", "--like", "latest", "--rounds", "2"]
    assert main(["run", "--like", "latest", "--connections", "9", *where]) == 2
    assert len(planned) == 1


def test_the_harness_is_light(finished: Race) -> None:
    counted = [cell for cell in finished.saved_race().cells if cell.round != CALIBRATION]
    for cell in counted:
        assert cell.seconds is not None
        assert cell.meters["cpu_ns"]["harness"] / 1e9 < HARNESS_SHARE * cell.seconds


def test_a_report_was_written_and_its_path_printed(finished: Race) -> None:
    report = finished.saved_race().folder / "report.html"
    assert "<html" in report.read_text()[:200]
    assert "report.html" in finished.text()
    assert "round 1 of 1" in finished.text()


def test_a_finished_race_is_not_resumed(finished: Race, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["resume", "latest", "--results", str(finished.saved)]) == 2
    assert "is finished" in capsys.readouterr().err


def test_saved_races_are_listed_shown_and_reported_again(
    finished: Race, capsys: pytest.CaptureFixture[str]
) -> None:
    where = ["--results", str(finished.saved)]
    run = finished.saved_race().head.race
    assert main(["list", "--json", *where]) == 0
    assert [one["race"] for one in json.loads(capsys.readouterr().out)["races"]] == [run]
    assert main(["show", run, "--json", *where]) == 0
    assert len(json.loads(capsys.readouterr().out)) == 18
    assert main(["report", "latest", "--json", *where]) == 0
    assert json.loads(capsys.readouterr().out)["race"] == run
    assert main(["report", run[:-2], *where]) == 2
    assert f"did you mean '{run}'" in capsys.readouterr().err


def test_a_damaged_line_is_named_and_the_rest_is_read(
    finished: Race, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "damaged"
    shutil.copytree(finished.saved_race().folder, folder)
    lines = (folder / CELLS_FILE).read_text().splitlines(keepends=True)
    lines[2] = lines[2][:40] + "\n"
    (folder / CELLS_FILE).write_text("".join(lines))
    assert main(["report", str(folder)]) == 0
    assert "race: left out: cells.jsonl line 3: not valid JSON" in capsys.readouterr().err
    assert main(["show", str(folder), "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)) == 17


def test_changes_are_held_against_the_database_and_requests_counted(
    tmp_path: Path, databases: Databases
) -> None:
    pages = ["vote", "good", "sticker-edit"]
    path = scenario(tmp_path, ["aiohttp-postgres-query"], pages, duration=0.3)
    with Race(["run", str(path)], tmp_path / "results", databases.env()) as race:
        assert race.wait() == 0, race.text()
        cells = race.saved_race().cells
    assert {cell.status for cell in cells if cell.round != CALIBRATION} == {"ok"}
    for cell in cells:
        assert cell.meters["cpu_ns"]["database"] > 0
        # A new visitor's Good takes 3 requests, his Index, where votes begin, takes 9.
        requests = {"good": 3, "vote": 9, "sticker-edit": 1}
        assert cell.facts["database_requests"] == requests[cell.task]
        assert cell.facts["body_bytes"] > 1000
        assert cell.facts["header_bytes"] > 200
        assert cell.facts["headers"] >= 6
