"""A race whose load generator runs on another machine."""

from __future__ import annotations

import signal
from pathlib import Path

import psutil
import pytest

from databases import find
from race.load.wrk import Wrk
from race.machine.remote.host import SSH
from runtime.paths import ROOT
from tests.conftest import absent
from tests.support import sshd
from tests.support.race_lab import Race, scenario
from tests.support.site_server import environment, until
from tests.support.sshd import AGAIN, ALSO, THERE


@pytest.fixture(autouse=True)
def wrk() -> None:
    if missing := Wrk().missing():
        absent(missing)


def test_a_race_with_its_generator_in_another_network(tmp_path: Path) -> None:
    (tmp_path / "sshd").mkdir()
    with sshd.running(tmp_path / "sshd", apart=True) as apart:
        env = {**environment(), SSH: apart.command}
        path = scenario(tmp_path, ["aiohttp-memory-one"], ["ugly"])
        words = ["run", str(path), "--generator", THERE]
        with Race(words, tmp_path / "results", env) as race:
            assert race.wait() == 0, race.text()
            saved = race.saved_race()
    machine = saved.head.environment.machines["generator"]
    assert (machine.name, machine.address) == (THERE, apart.ours)
    assert "generator" not in saved.head.environment.pinned
    assert saved.head.command[:6] == ["race", *words, "--seed"]
    for cell in saved.cells:
        assert cell.status == "ok", cell.reason
        assert cell.meters["cpu_ns"]["generator"] > 0
        assert cell.meters["busy"].keys() == {"server", "generator"}
        assert cell.meters["network_us"]["generator round_trip"] > 0
    if apart.address != apart.ours:
        assert saved.cells[-1].meters["network_bytes"]["generator received"] > (
            saved.cells[-1].bytes or 0
        )
    report = next((tmp_path / "results").glob("*/report.html")).read_text()
    assert f"The server listened on {apart.ours}, where there reaches it" in report


def test_a_race_with_all_parties_in_another_network(tmp_path: Path) -> None:
    if missing := find("tarantool").missing():
        absent(missing)
    (tmp_path / "sshd").mkdir()
    with sshd.running(tmp_path / "sshd", apart=True) as apart:
        env = {**environment(), SSH: apart.command}
        path = scenario(tmp_path, ["aiohttp-tarantool-one"], ["index", "vote"])
        words = ["run", str(path), "--generator", THERE, "--database", ALSO]
        words += ["--server", f"{AGAIN}:{ROOT}"]
        with Race(words, tmp_path / "results", env) as race:
            assert race.wait() == 0, race.text()
            saved = race.saved_race()
    machines = saved.head.environment.machines
    assert {one.address for one in machines.values()} == {apart.address, None}
    assert not saved.head.environment.pinned
    assert saved.head.environment.interpreters
    for cell in saved.cells:
        assert cell.status == "ok", cell.reason
        assert cell.meters["busy"].keys() == {"server", "generator", "database"}
        assert cell.meters["memory_bytes"]["database"] > 1_000_000
        assert cell.meters["network_us"]["database round_trip"] > 0
        assert cell.meters["switches"]["voluntary"] > 0


def test_a_race_whose_server_in_another_network_reaches_the_database_here(tmp_path: Path) -> None:
    if missing := find("tarantool").missing():
        absent(missing)
    (tmp_path / "sshd").mkdir()
    with sshd.running(tmp_path / "sshd", apart=True) as apart:
        env = {**environment(), SSH: apart.command}
        path = scenario(tmp_path, ["aiohttp-tarantool-one"], ["index", "vote"])
        with Race(
            ["run", str(path), "--server", f"{THERE}:{ROOT}"], tmp_path / "results", env
        ) as race:
            assert race.wait() == 0, race.text()
            saved = race.saved_race()
    machine = saved.head.environment.machines["server"]
    assert (machine.address, machine.databases_at) == (apart.address, apart.ours)
    for cell in saved.cells:
        assert cell.status == "ok", cell.reason
        assert cell.facts["database_requests"] > 0
        assert cell.meters["memory_bytes"]["server"] > 1_000_000
        assert cell.meters["network_us"]["server round_trip"] > 0


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_no_generator_outlives_its_race(tmp_path: Path, number: signal.Signals) -> None:
    (tmp_path / "sshd").mkdir()
    with sshd.running(tmp_path / "sshd") as server:

        def generators() -> list[psutil.Process]:
            below = psutil.Process(server.process.pid).children(recursive=True)
            return [one for one in below if one.name() == "wrk"]

        env = {**environment(), SSH: server.command}
        path = scenario(tmp_path, ["aiohttp-memory-one"], ["ugly"], duration=20.0)
        with Race(["run", str(path), "--generator", THERE], tmp_path / "results", env) as race:
            race.wait_for_cells(1)
            until(generators, 60.0, f"no generator: {race.text()}")
            race.send(number)
            race.wait()
            until(lambda: not generators(), 10.0, "it outlived its race")
