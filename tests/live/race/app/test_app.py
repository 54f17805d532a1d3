"""Races of an application that knows nothing of this project: a verdict, or why there is none."""

from __future__ import annotations

import sys
from pathlib import Path
from statistics import median

import pytest

from race.commands.output import REPORT_FILE
from race.saved.reader import SavedRace
from tests.support.faults.marked import MARK, new_mark, wait_until_none_is_left
from tests.support.race_lab import LIMITS, Race
from tests.support.site_server import environment

SHOP = """
import asyncio, os, sys, time
from aiohttp import web

place, how = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else ""

async def items(request):
    if how == "slow":
        end = time.thread_time() + 0.0008
        while time.thread_time() < end:
            pass
    page = int(request.query["page"])
    found = {"items": [page, page + 1], "time": time.time(), "by": "x" if how == "other" else "y"}
    return web.json_response(found, status=500 if how == "broken" else 200)

async def buy(request):
    order = await request.json()
    assert isinstance(order["item"], int)
    return web.Response(status=201, text="bought")

if how == "daemon" and (os.fork() or os.setsid() or os.fork()):
    os._exit(0)
if how == "dies":
    sys.exit("no licence")
if how == "loud":
    for stream in (1, 2):
        os.write(stream, b"x" * 8_000_000 + b"\\n")
if how == "child" and os.fork() == 0:
    os.setsid()
    time.sleep(600)
app = web.Application()
app.router.add_get("/items", items)
app.router.add_post("/orders", buy)
port = int(place) if place.isdecimal() else 0
if how == "silent":
    import socket
    with socket.create_server(("127.0.0.1", port)) as sock:
        time.sleep(600)
at = {"host": "127.0.0.1", "port": 0 if how == "elsewhere" else port} if port else {"path": place}
web.run_app(app, **at, print=None)
"""
FILE = """
discipline = "app"
title = "Shop"
serve = "{python} shop.py {{port}} {{kind}}"
rounds = 2
restart = 0
start_s = {start_s}
[factors.kind]
plain = ""
{kind} = "{kind}"
[[requests]]
name = "list"
get = "/items?page={{1..50}}"
weight = 3
expect = {{ status = 200, contains = "items", type = "application/json" }}
mask = ['"time": [0-9.]+']
[[requests]]
name = "buy"
post = "/orders"
json = {{ item = "{{1..1000}}", count = 1 }}
expect = {{ status = 201 }}
[load]
duration_s = 0.25
connections = 8
max_connections = 8
[warmup]
windows = 1
"""


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    (tmp_path / "shop.py").write_text(SHOP)
    return tmp_path


def file(shop: Path, kind: str, start_s: float = 30.0) -> str:
    path = shop / "race.toml"
    path.write_text(FILE.format(python=sys.executable, kind=kind, start_s=start_s) + LIMITS)
    return str(path)


def cpu_us(race: SavedRace, label: str, task: str) -> float:
    """Return the median CPU time of a request; rates depend on what else the machine does."""
    cells = [one for one in race.cells if (one.label, one.task) == (label, task) and one.count]
    return median(one.meters["cpu_ns"]["server"] / (one.count or 1) / 1000 for one in cells)


def test_the_slower_server_is_found_on_what_is_slower(shop: Path) -> None:
    with Race(["run", file(shop, "slow")], shop / "results") as race:
        assert race.wait() == 0, race.text()
        saved = race.saved_race()
        assert race.children() == []
    assert {cell.task for cell in saved.cells} == {"list", "buy", "mix"}
    assert cpu_us(saved, "slow", "list") > cpu_us(saved, "plain", "list") + 400
    assert cpu_us(saved, "slow", "buy") < cpu_us(saved, "plain", "buy") + 400
    report = (saved.folder / REPORT_FILE).read_text()
    assert "GET /items?page={1..50}" in report


def test_programs_race_without_a_file(shop: Path) -> None:
    program = f"{sys.executable} {shop}/shop.py {{port}}"
    words = ["run", "--program", program, "--program", f"{program} slow"]
    words += ["--path", "/items?page=3", "--allow-different", "--rounds", "2"]
    for limit in ("foreign=1", "steal=1", "quiet_wait_s=0", "samples=1", "little=9"):
        words += ["--set", f"limits.{limit}"]
    with Race([*words, "--duration", "0.25"], shop / "results") as race:
        assert race.wait() == 0, race.text()
        labels = {cell.label for cell in race.saved_race().cells}
    name = Path(sys.executable).name
    assert labels == {name, f"{name} (A/A)", f"{name}-2"}


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("broken", "broken: GET /items?page="),
        ("other", "plain and other answer GET /items?page="),
        ("dies", "dies: server ended with code 1 (no licence)"),
        ("daemon", "daemon: server ended with code 0: it must stay in the foreground"),
        ("elsewhere", "does `serve` use {port}?"),
        ("silent", "server was not ready within 4 s: / did not answer: TimeoutError"),
    ],
)
def test_what_cannot_be_raced_is_one_line_before_anything_is_timed(
    shop: Path, kind: str, said: str
) -> None:
    assert said in refused(shop, kind)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("ready=/health", "plain: server was not ready within 4 s: /health answers 404"),
        ("build=sh -c false", "build `sh -c false` ended with code 1"),
        ("prepare=sh -c 'echo no room; exit 3'", "ended with code 3 (no room)"),
        ("reset=sh -c false", "plain: reset `sh -c false` ended with code 1"),
        ("sreve=x", "unknown scenario key 'sreve': did you mean 'serve'?"),
    ],
)
def test_a_wrong_key_or_command_is_one_line(shop: Path, change: str, said: str) -> None:
    assert said in refused(shop, "same", "--set", change)


def refused(shop: Path, kind: str, *more: str) -> str:
    """Return the last line of a race that does not begin, and of which nothing is left."""
    words = ["run", file(shop, kind, start_s=4.0), *more]
    with new_mark() as mark, Race(words, shop / "results", environment(**{MARK: mark})) as race:
        assert race.wait() == 2, race.text()
        wait_until_none_is_left(mark)
        lines = race.text().strip().splitlines()
    assert not any("Traceback" in line for line in lines)
    assert lines[-1].startswith("race: "), lines
    return lines[-1]


@pytest.mark.parametrize("kind", ["loud", "child"])
def test_a_server_that_writes_much_or_forks_is_raced_and_ended(shop: Path, kind: str) -> None:
    words = ["run", file(shop, kind), "--rounds", "1", "--set", "only=list"]
    with new_mark() as mark, Race(words, shop / "results", environment(**{MARK: mark})) as race:
        assert race.wait() in (0, 3), race.text()
        assert {cell.status for cell in race.saved_race().cells} == {"ok"}
        wait_until_none_is_left(mark)


def test_a_server_on_a_unix_socket_races_one_on_a_port(shop: Path) -> None:
    path = Path(file(shop, "plain"))
    text = path.read_text().replace(
        'plain = ""\nplain = "plain"', 'tcp = "{port}"\nuds = "{socket}"'
    )
    path.write_text(text.replace("shop.py {port} {kind}", "shop.py {kind}"))
    words = ["run", str(path), "--rounds", "1", "--set", "only=buy"]
    with Race(words, shop / "results") as race:
        assert race.wait() in (0, 3), race.text()
        cells = race.saved_race().cells
    assert {cell.status for cell in cells} == {"ok"}
    assert {cell.label for cell in cells} == {"tcp", "tcp (A/A)", "uds"}
