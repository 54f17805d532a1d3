"""A Tarantool that serves by itself, as in a container: its user, its layout, strange settings."""

from __future__ import annotations

import asyncio
import contextlib
import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from asynctnt.exceptions import TarantoolDatabaseError

from data_interface.store import StoreError, Unavailable
from data_interface.tarantool.layout import ACCESS_DENIED, COUNTERS, NO_LAYOUT
from runtime.listen import free_port
from runtime.paths import ROOT
from tests.live.databases.on_tarantool import SECONDS, connected, need_tarantool, opened, run


@contextlib.contextmanager
def standalone(folder: Path, script: str, **environment: str) -> Iterator[int]:
    """``tarantool SCRIPT`` on a TCP port, as in a container."""
    need_tarantool()
    port = free_port()
    listen = f"127.0.0.1:{port}"
    env = {**os.environ, "TARANTOOL_LISTEN": listen, "TARANTOOL_DIR": str(folder), **environment}
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(["tarantool", script], cwd=folder, env=env, stderr=log)
    try:
        yield port
    finally:
        process.terminate()
        try:
            process.wait(SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


async def complaint(url: str) -> str:
    """Return the error of opening a store, once the server answers."""
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        try:
            async with opened(url):
                return ""
        except Unavailable:
            await asyncio.sleep(0.05)
        except StoreError as error:
            return str(error)
    raise AssertionError("nobody listens")


def test_the_site_s_user_has_its_own_rights_and_no_others(tmp_path: Path) -> None:
    password = "s3cr:t/@ word"

    async def check(port: int) -> None:
        where = f"127.0.0.1:{port}"
        assert await complaint(f"tarantool://site:{quote(password, safe='')}@{where}") == ""
        assert "password" in await complaint(f"tarantool://site:wrong@{where}")
        assert "user" in await complaint(f"tarantool://nobody:x@{where}")
        assert await complaint(f"tarantool://{where}") == NO_LAYOUT
        login = {"port": port, "username": "site", "password": password}
        async with connected("", **login) as link:
            assert await link.select(COUNTERS, [])
            for forbidden in [
                link.eval("return 1"),
                link.call("box.schema.space.create", ["x"]),
                link.call("os.exit"),
                link.insert(280, [1]),
            ]:
                with pytest.raises(TarantoolDatabaseError) as caught:
                    await forbidden
                assert caught.value.code == ACCESS_DENIED

    script = str(ROOT / "tarantool" / "init.lua")
    with standalone(tmp_path, script, TARANTOOL_PASSWORD=password) as port:
        run(check(port))


def test_an_instance_without_the_layout_is_left_alone(tmp_path: Path) -> None:
    script = tmp_path / "bare.lua"
    script.write_text("box.cfg{listen = os.getenv('TARANTOOL_LISTEN'), log_level = 2}\n")

    async def check(port: int) -> None:
        assert await complaint(f"tarantool://127.0.0.1:{port}") == NO_LAYOUT

    with standalone(tmp_path, str(script)) as port:
        run(check(port))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"TARANTOOL_LISTEN": "127.0.0.1:3301"}, "TARANTOOL_PASSWORD must be set"),
        ({"TARANTOOL_LISTEN": "unix/:t.sock", "TARANTOOL_MEMORY": "1M"}, "at least 32M"),
        ({"TARANTOOL_LISTEN": "unix/:t.sock", "TARANTOOL_MEMORY": "12 apples"}, "12 apples"),
    ],
)
def test_init_lua_says_what_is_wrong(
    tmp_path: Path, settings: dict[str, str], message: str
) -> None:
    need_tarantool()
    done = subprocess.run(
        ["tarantool", str(ROOT / "tarantool" / "init.lua")],
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"], **settings},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == 1
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1
