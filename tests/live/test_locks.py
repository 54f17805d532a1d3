"""The tool that makes the locks is itself installed from a lock."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from runtime.paths import ROOT


def test_the_tool_that_makes_the_locks_is_made_anew_when_its_lock_changes(tmp_path: Path) -> None:
    """A copy is used, with a pip that only prints its arguments and a uv that writes nothing."""
    for name in ("lock.sh", "common.sh"):
        target = tmp_path / "scripts" / name
        target.parent.mkdir(exist_ok=True)
        target.write_bytes((ROOT / "scripts" / name).read_bytes())
        target.chmod(0o700)
    (tmp_path / "requirements").mkdir()
    lock = tmp_path / "requirements/tools.txt"
    said = tmp_path / "said"
    python = tmp_path / ".venv/bin/python"
    python.parent.mkdir(parents=True)
    python.write_text(
        f"#!/bin/bash\nmkdir -p $4/bin\necho 'echo pip \"$@\" >>{said}' >$4/bin/pip\n"
        "echo true >$4/bin/uv\nchmod +x $4/bin/*\nrm -f $4/locked\n"
    )
    python.chmod(0o700)
    env = {"PATH": os.environ["PATH"]}
    for content, times in (("one", 1), ("one", 1), ("two", 2)):
        lock.write_text(content)
        subprocess.run([tmp_path / "scripts/lock.sh"], check=True, env=env, timeout=20)
        asked = said.read_text().splitlines()
        assert len(asked) == times
        assert all("--require-hashes -r requirements/tools.txt" in line for line in asked)
