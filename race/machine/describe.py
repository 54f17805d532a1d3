"""Describes what a result depends on besides the code: machine, versions, commit, interpreters."""

from __future__ import annotations

import json
import os
import platform
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Mapping
from importlib import metadata
from pathlib import Path

import msgspec

from race.machine import probe
from race.machine.cores import Layout, allowed
from race.machine.hardware import hardware
from race.saved.head import Build, Environment, Interpreter
from race.saved.model import Contender
from race.timeouts import TIMEOUTS
from runtime import build
from runtime.interpreters import executable
from runtime.paths import INSTALLED, NAME, ROOT
from runtime.versions import minor, own

PYTHON = "python"
"""The factor that names the version of a contender's interpreter, if it has one."""
BUILD = "build"
"""The factor that names the environment of a contender's interpreter where builds are raced."""

PACKAGES = """
import json, sys, sysconfig
free = "t" if sysconfig.get_config_var("Py_GIL_DISABLED") else ""
try:
    from importlib.metadata import distributions
except ImportError:
    from pkg_resources import working_set
    found = {each.project_name: each.version for each in working_set}
else:
    found = {each.metadata["Name"]: each.version for each in distributions()}
print(json.dumps({"python": sys.version.split()[0] + free, "packages": found}))
"""


def describe(
    contenders: Iterable[Contender], layout: Layout, versions: Mapping[str, str | None]
) -> Environment:
    """Return the `environment` of run.json; `versions` are those of the discipline's programs."""
    return Environment(
        cpu=cpu_model(),
        cores=len(allowed()),
        pinned={name: sorted(cores) for name, cores in layout.items()},
        kernel=platform.release(),
        memory_bytes=os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        governor=governor(),
        commit=_git("rev-parse", "HEAD") or None,
        dirty=bool(_git("status", "--porcelain")),
        versions={**versions, **({"race": own_version()} if INSTALLED else {})},
        interpreters=_interpreters(contenders),
        hardware=hardware(allowed(), output(["lscpu"])),
        probe=probe.neighbour(layout),
    )


def own_version() -> str:
    """Return the version of this harness, which a checkout has in its file alone."""
    if INSTALLED:
        return metadata.version(NAME)
    with (ROOT / "pyproject.toml").open("rb") as file:
        found: str = tomllib.load(file)["project"]["version"]
    return found


def _git(*words: str) -> str:
    """Return what git says of the checkout; nothing of a wheel, which may be in another one."""
    return "" if INSTALLED else output(["git", "-C", str(ROOT), *words])


def cpu_model() -> str:
    """Return the processor's name as the kernel gives it."""
    match = re.search(r"^model name\s*: (.*)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    return match[1] if match else platform.machine()


def governor() -> str | None:
    """Return the CPU frequency governor; None if there is none, as on most virtual machines."""
    try:
        return Path("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor").read_text().strip()
    except OSError:
        return None


def current_python() -> str:
    """Return the version of the interpreter that runs the harness and most contenders."""
    return minor(own())


def own_interpreter(version: str) -> Path | None:
    """Return the project's interpreter of a version (`.venv-X.Y`); None for the current one."""
    path = executable(version)
    return path if version != current_python() and path.exists() else None


def python_of(contender: Contender) -> Path | None:
    """Return the interpreter of a contender; None if it is no Python program."""
    if BUILD in contender.factors:
        return executable(contender.factors[BUILD])
    version = contender.factors.get(PYTHON, current_python())
    return (own_interpreter(version) or Path(sys.executable)) if version[:1].isdigit() else None


def _interpreters(contenders: Iterable[Contender]) -> dict[str, Interpreter]:
    """Return the interpreters by label; a contender that is no Python program has none."""
    paths = {one.label: path for one in contenders if (path := python_of(one))}
    known = {path: interpreter(path) for path in dict.fromkeys(paths.values())}
    return {label: known[path] for label, path in paths.items()}


def interpreter(python: Path) -> Interpreter:
    """Return what is known of an interpreter; its loop takes a fifth of a second."""
    answer = output([str(python), "-c", PACKAGES])
    found = json.loads(answer) if answer else {"python": "unknown"}
    return msgspec.convert({**found, "build": built(python)}, Interpreter)


def built(python: Path) -> Build | None:
    """Return the build of an interpreter; None if it does not run."""
    answer = output([str(python), "-I", build.__file__])
    return msgspec.json.decode(answer, type=Build) if answer else None


def number(text: str) -> str | None:
    """Return the version number in what a program prints about itself."""
    match = re.search(r"\d+\.\d[\w.+-]*", text)
    return match[0] if match else None


def output(command: list[str], any_exit: bool = False) -> str:
    """Return what a program prints, or "" if it is missing or fails."""
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=TIMEOUTS.program, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    if done.returncode and not any_exit:
        return ""
    return (done.stdout or done.stderr).strip()
