"""A database's own process that does not come up: it may still close its files."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from databases import process
from databases.database import DatabaseError
from databases.process import ServerProcess
from databases.timeouts import TIMEOUTS

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


def test_one_that_never_greets_is_ended_in_its_own_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "TIMEOUTS", TIMEOUTS._replace(answer=0.1))
    mark, address = tmp_path / "mark", tmp_path / "slow.sock"
    address.touch()
    command = [sys.executable, "-c", SLOW, str(mark)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as slow:
        assert slow.stdout is not None
        assert slow.stdout.readline() == b"up\n"
        server = ServerProcess("Slow", slow, address, tmp_path / "log")
        with pytest.raises(DatabaseError, match=r"^Slow did not start within 0.1 s: see "):
            server.wait(bool)
        assert slow.poll() == 0
    assert mark.read_text() == "closed"
    assert not address.exists()
