"""What contenders write to: a database of their own, as it was prepared, and gone at the end."""

from __future__ import annotations

import signal
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import psycopg
import pymysql
import pytest

import tarantool
from databases.root_homes import found
from race.app.database.process import FOLDER, DatabaseProcess
from race.app.database.state import missing
from race.machine.pins import since
from tests.conftest import absent
from tests.live.race.app.test_app import SHOP
from tests.support.race_lab import LIMITS, Race
from tests.support.site_server import environment, until

APPLICATION = """
import os, sys
import asyncpg
from aiohttp import web

COUNT = "select count(*), count(*) filter (where who <> $1) from orders"

async def opened(app):
    app["pool"] = await asyncpg.create_pool(os.environ["DATABASE_URL"], min_size=1, max_size=4)
    with open("starts", "a") as file:
        ours, others = await app["pool"].fetchrow(COUNT, sys.argv[2])
        print(sys.argv[2], ours, others, file=file)
    yield
    await app["pool"].close()

async def buy(request):
    return web.json_response(
        await request.app["pool"].fetchval(
            "insert into orders (who) values ($1) returning id", sys.argv[2]
        )
    )

app = web.Application()
app.cleanup_ctx.append(opened)
app.router.add_post("/orders", buy)
web.run_app(app, host="127.0.0.1", port=int(sys.argv[1]), print=None)
"""
PREPARE = """
import os, psycopg
with psycopg.connect(os.environ["DATABASE_URL"]) as connection:
    connection.execute("create table orders (id serial primary key, who text)")
    connection.execute("insert into orders select from generate_series(1, 3)")
"""
FILE = """
discipline = "app"
title = "Orders"
serve = "{python} app.py {{port}} {{contender}}"
database = "postgres"
prepare = "{python} prepare.py"
env = {{ DATABASE_URL = "{{database_url}}", KIND = "{{kind}}" }}
factors = {{ kind = ["one", "two"] }}
rounds = 2
restart = 1
{more}
[[requests]]
name = "buy"
post = "/orders"
[load]
duration_s = 0.25
connections = 4
max_connections = 4
[warmup]
windows = 1
"""


class Dialect(NamedTuple):
    """How a test makes a table, adds a row and counts the rows."""

    ask: Callable[[str, str], Any]
    create: str
    add: str
    counted: str


def postgres(url: str, statement: str) -> Any:
    with psycopg.connect(url, autocommit=True) as connection:
        found = connection.execute(statement)
        return found.fetchone()[0] if found.description else None  # type: ignore[index]


def mysql(url: str, statement: str) -> Any:
    at = urlsplit(url)
    where = {"host": at.hostname, "port": at.port, "user": at.username, "password": at.password}
    with (
        pymysql.connect(**where, database=at.path[1:], autocommit=True) as connection,
        connection.cursor() as cursor,
    ):
        cursor.execute(statement)
        return (cursor.fetchone() or [None])[0]


def lua(url: str, statement: str) -> Any:
    at = urlsplit(url)
    connection = tarantool.Connection(  # type: ignore[attr-defined]
        at.hostname, at.port, user=at.username, password=at.password
    )
    try:
        return (list(connection.eval(statement)) or [None])[0]
    finally:
        connection.close()


TABLE = ("create table t (n int)", "insert into t values (1)", "select count(*) from t")
DIALECTS = {
    "postgres": Dialect(postgres, *TABLE),
    "mysql": Dialect(mysql, *TABLE),
    "tarantool": Dialect(
        lua,
        "box.schema.space.create('t'):create_index('i')",
        "box.space.t:insert{box.space.t:len()}",
        "return box.space.t:len()",
    ),
}


def needed(kind: str) -> None:
    if why := missing(kind):
        absent(why)


@pytest.mark.parametrize("kind", DIALECTS)
def test_each_database_is_what_its_template_was(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    needed(kind)
    monkeypatch.setenv("VAR_DIR", str(tmp_path))
    ask, create, add, count = DIALECTS[kind]
    process = DatabaseProcess(kind)
    try:
        ask(process.start("t0").url, create)
        process.stop("t0")
        first, second = process.start("c0", "t0"), process.start("c1", "t0")
        ask(first.url, add)
        assert (ask(first.url, count), ask(second.url, count)) == (1, 0)
        assert ask(process.start("c0", "t0").url, count) == 0
        with pytest.raises(Exception, match=r"(?i)password|denied|scramble"):
            ask(second.url.replace(str(urlsplit(second.url).password), "guessed"), count)
    finally:
        process.close()
    assert since(second.pid) is None
    assert left(tmp_path) == []


@pytest.fixture
def orders(tmp_path: Path) -> Path:
    needed("postgres")
    (tmp_path / "app.py").write_text(APPLICATION)
    (tmp_path / "prepare.py").write_text(PREPARE)
    return tmp_path


def race(folder: Path, more: str = "") -> Race:
    path = folder / "race.toml"
    path.write_text(FILE.format(python=sys.executable, more=more) + LIMITS)
    env = environment(VAR_DIR=str(folder / "var"))
    return Race(["run", str(path)], folder / "results", env)


def starts(folder: Path) -> list[tuple[str, int]]:
    """Return who started, and how many orders it found, in order. Nobody finds those of another."""
    lines = [line.split() for line in (folder / "starts").read_text().splitlines()]
    assert {others for _, _, others in lines} <= {"0"}
    return [(name, int(number)) for name, number, _ in lines]


def left(folder: Path) -> list[Path]:
    """Return the data of databases that is still there, that of root's included."""
    homes = [one.path for one in found() if folder in one.folder.parents]
    return [*(folder / FOLDER).iterdir(), *homes]


def test_every_round_begins_with_what_was_prepared(orders: Path) -> None:
    with race(orders, 'reset = "round"') as running:
        assert running.wait() == 0, running.text()
        saved = running.saved_race()
        assert running.children() == []
    assert {cell.status for cell in saved.cells} == {"ok"}
    assert all(cell.meters["cpu_ns"]["database"] > 0 for cell in saved.cells)
    seen = Counter(starts(orders))
    assert {number for _, number in seen} == {3}
    assert {name for name, _ in seen} == {"one", "one__a_a_", "two"}
    assert all(times >= 2 for times in seen.values())
    assert left(orders / "var") == []


def test_without_a_reset_orders_stay_until_the_race_is_killed(orders: Path) -> None:
    with race(orders) as running:
        until(lambda: len(ends(orders)) >= 2, 60.0, f"no second round: {running.text()}")
        below = running.children()
        running.send(signal.SIGKILL)
        running.wait()
        until(lambda: not any(since(one.pid) for one in below), 15.0, f"still there: {below}")
    until(lambda: not left(orders / "var"), 10.0, "data is still there")
    assert all(number > 3 for number in ends(orders))


def ends(folder: Path) -> list[int]:
    """Return the orders that a contender found when it did not start for the first time since the
    rehearsal, which has a database of its own.
    """
    if not (folder / "starts").exists():
        return []
    seen = Counter[str]()
    rehearsed = {"one": 1, "two": 1, "one__a_a_": 0}
    late = []
    for name, number in starts(folder):
        seen[name] += 1
        late += [number] if seen[name] > rehearsed[name] + 1 else []
    return late


def test_commands_of_the_users_own_prepare_and_reset(tmp_path: Path) -> None:
    noted = "sh -c 'echo {contender} >> prepared'", "sh -c 'echo {contender} >> reset'"
    (tmp_path / "shop.py").write_text(SHOP)
    (tmp_path / "race.toml").write_text(
        f"""
discipline = "app"
title = "Files"
serve = "{sys.executable} shop.py {{port}}"
prepare = "{noted[0]}"
reset = "{noted[1]}"
rounds = 2
[[requests]]
name = "list"
get = "/items?page=1"
[load]
duration_s = 0.25
connections = 4
max_connections = 4
"""
        + LIMITS
    )
    with Race(["run", str(tmp_path / "race.toml")], tmp_path / "results") as running:
        assert running.wait() == 0, running.text()
    prepared, reset = (
        Counter((tmp_path / name).read_text().split()) for name in ("prepared", "reset")
    )
    assert len(prepared) == 2
    assert set(prepared.values()) == {1}
    assert prepared.keys() == reset.keys()
    assert all(times >= 2 for times in reset.values())
