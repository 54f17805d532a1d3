"""PostgreSQL: each operation on each driver, and what the reference and the listener do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import psutil
import psycopg
import pytest
from msgspec.structs import replace

from databases import private
from race.errors import CellFailed, RaceError
from race.saved.model import Contender, Load, Work
from tests.live.toolbench.conftest import does_each, plainest, scenario, started
from toolbench.contenders import choose, raced
from toolbench.operation import operations, records
from toolbench.postgres import listener
from toolbench.shared import Shared, opened
from toolbench.subject import DriverSubject
from toolbench.timeouts import TIMEOUTS
from toolbench.tool import TRANSPORT

ALL = scenario("postgres")
ASYNCPG = raced(ALL, "asyncpg")[0]


@pytest.fixture
def shared(prepared: Callable[[str], Shared]) -> Shared:
    return prepared("postgres")


@pytest.mark.parametrize("contender", plainest("postgres"), ids=lambda one: one.label)
def test_each_operation_on_each_driver(shared: Shared, contender: Contender) -> None:
    with started(shared, contender) as one:
        does_each(one, ALL)


def notices(one: DriverSubject, task: str, columns: Sequence[int]) -> None:
    """Check that a value in the row of another record is found, although all sums are right."""
    for column in columns:
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr("toolbench.operation.records", swapped(column))
            with pytest.raises(CellFailed, match=f"{task}: it left"):
                one.check(task)
    one.check(task)


def swapped(column: int) -> Callable[[Sequence[str], int], list[list[Any]]]:
    """Return a maker of records of which two have each other's value of a column."""

    def made(form: Sequence[str], count: int) -> list[list[Any]]:
        found = records(form, count)
        one, other = found[7:9]
        one[column], other[column] = other[column], one[column]
        return found

    return made


def test_a_value_in_another_row_is_found(shared: Shared) -> None:
    with started(shared, ASYNCPG) as one:
        for task in ("copy-in", "batch"):
            notices(one, task, columns=(1, 2))


def test_the_wide_query_is_that_of_the_article(shared: Shared) -> None:
    found = shared.references["postgres"].expected(operations()["wide"])
    assert len(found) > 300
    assert {len(row) for row in found} == {12}
    assert {row[4] for row in found} == {"true", "false"}


def test_a_driver_reaches_the_database_over_tcp(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server listens on a socket, too, asks for a password, and ends with the race.

    Settings for a server of the user's do not mislead it.
    """
    monkeypatch.setenv("PGSERVICE", "nothing")
    monkeypatch.setenv("PGPORT", "1")
    monkeypatch.setenv("VAR_DIR", str(tmp_path))
    monkeypatch.delenv("DATABASE_URL", raising=False)
    both = scenario(
        "postgres",
        operations=["one-plus-one"],
        transport=["unix", "tcp"],
        settings={"max_connections": 77},
    )
    contenders = raced(both, "asyncpg")
    with opened(both, contenders) as found:
        pid = found.databases.pid("postgres")
        assert pid is not None
        address = found.address("postgres", "tcp")
        with psycopg.connect(found.databases.url("postgres") or "") as own:
            assert own.execute("show max_connections").fetchone() == ("77",)
        for contender in contenders:
            with started(found, contender) as one:
                one.check("one-plus-one")
                over_tcp = address.port in ports(one)
                assert over_tcp is (contender.factors[TRANSPORT] == "tcp")
        with pytest.raises(psycopg.OperationalError, match="password"):
            psycopg.connect(
                host=address.host, port=address.port, user=address.user, dbname=address.name
            )
        with pytest.raises(RaceError, match="used by another race"), opened(both, contenders):
            pass
        assert (tmp_path / listener.NAME).is_dir()
    assert not psutil.pid_exists(pid)
    assert not (tmp_path / "postgres").exists()


def ports(one: DriverSubject) -> set[int]:
    """Return the ports that a runner is connected to."""
    process = psutil.Process(one.runner.child.pid)
    return {each.raddr.port for each in process.net_connections("tcp")}


def test_settings_without_a_server_of_the_race_s_own_are_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VAR_DIR", str(tmp_path))
    monkeypatch.delenv("DATABASE_URL", raising=False)
    plain = scenario("postgres", operations=["one-plus-one"], settings={"work_mem": "8MB"})
    contenders = raced(plain, "asyncpg")
    with pytest.raises(RaceError, match="settings: a race starts"), opened(plain, contenders):
        pass
    monkeypatch.setenv("DATABASE_URL", "postgresql://nobody@127.0.0.1:1/x")
    assert any("which keeps its own" in text for text in choose(plain).left_out)


def test_a_database_that_is_gone_is_one_line_and_found_again(shared: Shared) -> None:
    with started(shared, ASYNCPG) as one:
        one.check("one-plus-one")
        with private.down("postgres"):
            load = Load("runner", 1, duration_s=0.1, fixed=True)
            assert one.drive(Work("one-plus-one", load)).failed > 0
            with pytest.raises(CellFailed) as raised:
                one.check("one-plus-one")
            assert "\n" not in str(raised.value)
        assert not one.alive()
    with started(shared, ASYNCPG) as again:
        again.check("one-plus-one")


def test_a_statement_that_prepares_an_operation_and_fails_is_one_line(shared: Shared) -> None:
    wrong = replace(operations()["ints"], prepare=("create tabel x ()",))
    with pytest.raises(CellFailed, match="postgres: syntax error"):
        shared.references["postgres"].prepare(wrong)


def test_two_races_do_not_use_the_same_tables(
    shared: Shared, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("toolbench.shared.TIMEOUTS", TIMEOUTS._replace(lock=0.1))
    with (
        pytest.raises(RaceError, match="another race of drivers uses the tables of postgres"),
        opened(ALL, [ASYNCPG]),
    ):
        pass
