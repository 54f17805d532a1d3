"""A database's own process that does not come up: it may still close its files."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from databases.database import DatabaseError
from databases.process import Server

SLOW = """
import signal, sys, time
from pathlib import Path

def close(number, frame):
    time.sleep(1.5)
    Path(sys.argv[1]).write_text("closed")
    sys.exit()

signal.signal(signal.SIGTERM, close)
print("up", flush=True)
time.sleep(60)
"""


def test_one_that_never_greets_is_ended_in_its_own_time(tmp_path: Path) -> None:
    home, sockets, mark = tmp_path / "home", tmp_path / "sockets", tmp_path / "mark"
    home.mkdir()
    sockets.mkdir()
    address = sockets / "slow.sock"
    address.touch()
    command = [sys.executable, "-c", SLOW, str(mark)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"up\n"
        server = Server("Slow", process, home, address, tmp_path / "log", 10.0)
        with pytest.raises(DatabaseError, match=r"^Slow did not start within 0 s: see "):
            server.wait(bool, 0.1)
        assert process.poll() == 0
    assert mark.read_text() == "closed"
    assert not sockets.exists()
