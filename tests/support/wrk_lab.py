"""A server whose delays and faults are known, and the means to run wrk against it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import struct
import subprocess
import threading
import time
from pathlib import Path
from typing import Any

from runtime.paths import ROOT

SCRIPTS = ROOT / "wrk_scripts"
CONNECTIONS = 10
DELAY = 0.05
GOOD = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nUGLY"
BAD = b"HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\n\r\n"


class FaultyServer:
    """Answers in order, pipelined or not; the path says what goes wrong.

    Most things go wrong at every tenth request of a connection. `deepest` is the largest number of
    requests that came in at once, `paths` every path that was asked for, `batch_us` the server's
    own measurement: the time in us from the arrival of a batch to its last answer.
    """

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self.listener = self.loop.run_until_complete(self._listen())
        self.url = f"http://127.0.0.1:{self.listener.sockets[0].getsockname()[1]}"
        self.deepest = self.connections = 0
        self.paths: set[bytes] = set()
        self.others: list[asyncio.Server] = []
        self.ending = asyncio.Event()
        self.batch_us: list[float] = []
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()

    async def _listen(self) -> asyncio.Server:
        return await asyncio.start_server(self._serve, "127.0.0.1", 0, backlog=1000)

    def also_on(self, path: Path) -> None:
        """Listen on a Unix socket, too."""
        made = asyncio.start_unix_server(self._serve, path)
        listener = asyncio.run_coroutine_threadsafe(made, self.loop).result(10)
        self.others.append(listener)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        hangs, number, rest = self.connections % 2 == 0, 0, b""
        with contextlib.suppress(ConnectionError):
            while data := await reader.read(65536):
                start = time.perf_counter()
                *requests, rest = (rest + data).split(b"\r\n\r\n")
                self.deepest = max(self.deepest, len(requests))
                for request in requests:
                    number += 1
                    path = request.split(b" ", 2)[1]
                    self.paths.add(path)
                    if path == b"/hang" and hangs:
                        await self.ending.wait()
                    writer.write(await self._answer(path, number, writer))
                self.batch_us.append((time.perf_counter() - start) * 1e6)
        writer.close()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()

    async def _answer(self, path: bytes, number: int, writer: asyncio.StreamWriter) -> bytes:
        tenth = number % 10 == 0
        if path == b"/never-good" or (path == b"/bad" and tenth):
            return BAD
        if tenth and path in (b"/slow", b"/late"):
            await asyncio.sleep(DELAY if path == b"/slow" else 1.2)
        elif tenth and path == b"/reset":
            raw = writer.get_extra_info("socket")
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            writer.transport.abort()
            raise ConnectionAbortedError
        elif tenth and path == b"/refuse":
            self.listener.close()
            raise ConnectionAbortedError
        return GOOD

    async def _finish(self) -> None:
        self.ending.set()
        while tasks := asyncio.all_tasks() - {asyncio.current_task()}:
            await asyncio.wait(tasks)
        # Last, as asyncio leaks a socket that it has accepted but not yet handed over by now.
        for listener in (self.listener, *self.others):
            listener.close()

    def close(self) -> None:
        asyncio.run_coroutine_threadsafe(self._finish(), self.loop).result(10)
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(10)
        self.loop.close()


def wrk(*words: str, script: str | Path = "pipeline.lua", **more: Any) -> tuple[int, str, str]:
    """Run wrk for a second; return exit status, output and errors."""
    command = ["wrk", "-t1", f"-c{CONNECTIONS}", "-d1s", "-s", str(SCRIPTS / script), *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False, **more)
    return done.returncode, done.stdout, done.stderr


def load(*words: str, script: str | Path = "pipeline.lua", **more: Any) -> dict[str, Any]:
    """Run wrk for a second; return its line of JSON."""
    code, out, err = wrk(*words, script=script, **more)
    assert (code, err) == (0, "")
    (line,) = [line for line in out.splitlines() if line.startswith("json: ")]
    result: dict[str, Any] = json.loads(line.removeprefix("json: "))
    return result


def lua(tmp_path: Path, code: str, *words: str) -> str:
    """Run code in wrk's own interpreter, which reads the script before it connects."""
    script = tmp_path / "check.lua"
    script.write_text(f"package.path = '{SCRIPTS}/?.lua;' .. package.path\n{code}\nos.exit(0)")
    command = ["wrk", *words, "-d1s", "-s", str(script), "http://127.0.0.1:1"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=10, check=True)
    return done.stdout.strip()
