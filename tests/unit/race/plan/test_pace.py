"""Forecasts come from what earlier races took on this machine, and from the race itself."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from msgspec.structs import replace

from race.plan import clock
from race.plan.clock import Clock
from race.plan.forecast import Plan
from race.plan.pace import DEFAULT, Pace, driving, measured, newest
from race.saved.model import Cell, Contender, Environment, Load
from race.saved.reader import load
from race.saved.writer import Writer
from race.scenario import Scenario
from race.terminal.phrases import forecast_text
from tests.support import records, toy

HERE = Environment(cpu="a processor", cores=2)
TOOK = Pace(cell_s=0.25, start_s=3.0, restart_s=1.0)
CONTENDERS = [records.contender("a"), records.contender("b")]


def plan(pace: Pace = DEFAULT, **changes: Any) -> Plan:
    chosen = toy.scenario(**{"tasks": ["run", "jump"], "restart": 1, **changes})
    return Plan(toy.Toys(), chosen, CONTENDERS, [], pace)


def save(folder: Path, chosen: Scenario, pause_s: float = 0.0, **head: Any) -> Path:
    """A race that took what TOOK says; before the last round nobody was at work for `pause_s`."""
    now = datetime(2026, 11, 20, 20, 45, tzinfo=UTC)
    least = {
        "race": folder.name,
        "discipline": replace(records.SITE, name="toys"),
        "scenario": chosen.as_json(),
        "started_at": now.isoformat(),
        "finished_at": now.isoformat(),
        "environment": HERE,
    }
    with Writer(folder, records.head(*CONTENDERS, **{**least, **head})) as writer:
        for number in range(chosen.rounds + 1):
            now += timedelta(seconds=pause_s * (number == chosen.rounds))
            for contender in CONTENDERS:
                now += timedelta(seconds=_start(chosen, number))
                for task in chosen.tasks:
                    cell = _cell(contender, number, task, now)
                    writer.add(cell)
                    took = driving(chosen.warmup, number, cell.load) + TOOK.cell_s
                    now += timedelta(seconds=took)
    return folder


def _start(scenario: Scenario, number: int) -> float:
    """Whoever is started in a later round drops its first cell."""
    if number == 0:
        return TOOK.start_s
    anew = scenario.starts_anew(number)
    return TOOK.restart_s + scenario.load.duration_s if anew else 0.0


def _cell(contender: Contender, number: int, task: str, now: datetime) -> Cell:
    return records.cell(
        contender.label,
        round=number,
        task=task,
        load=Load("own", 32, duration_s=1.0),
        started_at=now.isoformat(),
        status="invalid",
    )


def close_to(pace: Pace | None, wanted: Pace) -> None:
    assert pace is not None
    assert pace.cell_s == pytest.approx(wanted.cell_s, abs=0.001)
    assert pace.start_s == pytest.approx(wanted.start_s, abs=0.001)
    assert pace.restart_s == pytest.approx(wanted.restart_s, abs=0.001)


def test_cells_and_starts_take_what_they_took_here(tmp_path: Path) -> None:
    found = measured(load(save(tmp_path / "one", plan().scenario)), "toys")
    close_to(found, TOOK)
    assert found is not None
    assert found.source == "one"


def test_an_interruption_is_no_part_of_it(tmp_path: Path) -> None:
    chosen = plan(rounds=3).scenario
    close_to(measured(load(save(tmp_path / "one", chosen, pause_s=5000)), "toys"), TOOK)


def test_who_is_never_started_again_tells_of_a_restart_by_its_start(tmp_path: Path) -> None:
    chosen = plan(restart=0, rounds=4).scenario
    found = measured(load(save(tmp_path / "one", chosen)), "toys")
    close_to(found, Pace(cell_s=0.25, start_s=3.0, restart_s=3.0))


def test_what_is_measured_again_makes_all_cells_of_the_scenario_dearer(tmp_path: Path) -> None:
    race = load(save(tmp_path / "one", plan(restart=0, rounds=4).scenario))
    cells: list[Cell] = []
    later = timedelta(0)
    for cell in race.cells:  # each of the last round twice
        moment = datetime.fromisoformat(cell.started_at) + later
        cells.append(replace(cell, started_at=moment.isoformat()))
        if cell.round == 4:
            later += timedelta(seconds=2)
            cells.append(replace(cell, started_at=(moment + timedelta(seconds=2)).isoformat()))
    race.cells[:] = cells
    found = measured(race, "toys")
    assert found is not None
    assert found.cell_s > TOOK.cell_s + 0.2
    # That is for limits like its own; a cell that went well took no longer.
    other = measured(race, "another")
    assert other is not None
    assert other.cell_s == pytest.approx(TOOK.cell_s)


@pytest.mark.parametrize(
    "wrong",
    [
        {"finished_at": None},
        {"environment": Environment(cpu="another", cores=2)},
        {"discipline": replace(records.SITE, name="other")},
        {"scenario": {"name": "toys", "warmup": {"window_s": 1.0}}},
        {"scenario": {"name": "toys", "warmup": {"calibration_s": 1.0, "odd": 1}}},
    ],
)
def test_only_finished_races_of_this_kind_and_machine_tell(
    tmp_path: Path, wrong: dict[str, Any]
) -> None:
    save(tmp_path / "wrong", plan().scenario, **wrong)
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "run.json").write_text("{")
    assert newest(tmp_path, plan().scenario, HERE) == DEFAULT
    assert newest(tmp_path / "nowhere", plan().scenario, HERE) == DEFAULT


def test_the_newest_of_the_same_scenario_is_taken_before_others(tmp_path: Path) -> None:
    mine, other = plan().scenario, plan(name="other").scenario
    for name, chosen in (("1", mine), ("2", mine), ("3", other)):
        save(tmp_path / name, chosen, started_at=f"2026-11-20T20:4{name}:00+00:00")
    assert newest(tmp_path, mine, HERE).source == "2"
    assert newest(tmp_path, other, HERE).source == "3"
    assert newest(tmp_path, plan(name="third").scenario, HERE).source == "3"


def test_a_forecast_adds_up_and_says_how_it_is_known() -> None:
    usual, here = plan(), plan(Pace(TOOK.cell_s, TOOK.start_s, TOOK.restart_s, "one"))
    cells = usual.cells + usual.calibrations
    dearer = 0.15 * cells + 1.0 * 2 - 0.5 * 2
    assert here.seconds() - usual.seconds() == pytest.approx(dearer)
    assert forecast_text(usual).endswith(" seconds, by default figures")
    assert forecast_text(here).endswith(" seconds, by what one took here")


def test_time_left_goes_by_what_the_race_took_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    moment = [100.0]
    monkeypatch.setattr(clock, "time", SimpleNamespace(monotonic=lambda: moment[0]))
    chosen = plan(restart=0, rounds=40)
    slow = Clock(chosen)
    assert slow.left() == pytest.approx(chosen.seconds())
    cells = [
        _cell(one, number, task, datetime.now(UTC))
        for number in range(41)
        for one in CONTENDERS
        for task in ("run", "jump")
    ]
    for cell in cells[:82]:
        moment[0] += 2 * chosen.expected(cell.round, cell.load)
        slow.did(cell)
    left = sum(chosen.expected(cell.round, cell.load) for cell in cells[82:])
    assert 1.9 * left < slow.left() <= 2 * left
    before = slow.left()
    moment[0] += 3
    assert slow.left() == pytest.approx(before - 3)
    assert slow.left(more=4) > slow.left() + 4 * chosen.usual()
    assert slow.spent() == pytest.approx(moment[0] - 100)
    assert Clock(chosen, cells[:82]).left() == pytest.approx(left)
