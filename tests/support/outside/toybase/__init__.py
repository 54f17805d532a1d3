"""A database that answers every line with a line."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from databases.database import Database, Frame, Running
from runtime.address import Form

PROGRAM = """
import socketserver
class Line(socketserver.StreamRequestHandler):
    def handle(self):
        for line in self.rfile:
            self.wfile.write(b"ok " + line)
socketserver.ThreadingTCPServer.daemon_threads = True
with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Line) as server:
    print(server.server_address[1], flush=True)
    server.serve_forever()
"""


def start(home: Path) -> Running:
    process = subprocess.Popen([sys.executable, "-c", PROGRAM], stdout=subprocess.PIPE)
    assert process.stdout is not None
    port = int(process.stdout.readline())

    def stop() -> None:
        process.kill()
        process.wait()

    return Running(f"toybase://127.0.0.1:{port}", process.pid, stop)


def requests(buffer: bytearray) -> Iterator[Frame]:
    while b"\n" in buffer:
        frame = bytes(buffer[: buffer.index(b"\n") + 1])
        del buffer[: len(frame)]
        yield "LINE", frame


DATABASE = Database(
    "toybase",
    Form("TOYBASE_URL", ("toybase",), 7777, "toybase://host:port"),
    missing=lambda: None,
    version=lambda: "0.1",
    start=start,
    requests=requests,
)
