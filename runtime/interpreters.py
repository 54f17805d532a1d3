"""The project's environments, one for each CPython, and the modules that they have."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Dict, Iterable, List, Optional

from runtime.paths import INSTALLED, ROOT, extra, make
from runtime.versions import FREE_THREADED, is_minor, minor, order, own

PROBE_TIMEOUT = 20.0  # seconds
# The folder of an environment for one version is this and the version.
PREFIX = ".venv-"

_PROBE = """
import importlib.util, json, platform, sys, sysconfig
free = "t" if sysconfig.get_config_var("Py_GIL_DISABLED") else ""
found = {name: importlib.util.find_spec(name) is not None for name in sys.argv[1:]}
print(json.dumps({"version": platform.python_version() + free, "found": found}))
"""


def environment(version: Optional[str] = None) -> Path:
    """Return the folder of an environment: the current one, that of a version ("3.7"), or any.

    A wheel has only the one that it is installed in.
    """
    if version and not is_minor(version):
        return ROOT / version
    if INSTALLED and not version:
        return Path(sys.prefix)
    return ROOT / (PREFIX + version if version else ".venv")


def executable(version: Optional[str] = None) -> Path:
    """Return the interpreter of an environment, which need not exist."""
    return environment(version) / "bin" / "python"


def version_of(folder: Path) -> Optional[str]:
    """Return the version of an environment ("3.12", "3.14t"), or None if there is none."""
    if folder == Path(sys.prefix):
        return minor(own())
    try:
        lines = (folder / "pyvenv.cfg").read_text(encoding="utf-8").splitlines()
    except OSError:
        return None
    pairs = (line.partition("=") for line in lines)
    settings = {name.strip(): value.strip() for name, _, value in pairs}
    text = settings.get("version") or settings.get("version_info", "")
    found = minor(text)
    free = found + FREE_THREADED
    return free if found and (folder / "lib" / f"python{free}").is_dir() else found or None


def current_version() -> str:
    """Return the version of the current environment, or of this interpreter without one."""
    return version_of(environment()) or minor(own())


def found_versions() -> List[str]:
    """Return the versions that have an environment (``.venv-X.Y``), newest first."""
    names = [path.parents[1].name[len(PREFIX) :] for path in ROOT.glob(PREFIX + "*/bin/python")]
    return sorted(filter(is_minor, names), key=order, reverse=True)


def found_builds() -> List[str]:
    """Return the environments (``.venv``, ``.venv-NAME``) of the current version, by name.

    Those of `make env` say from what they were made (``base``).
    """
    folders = [path.parent for path in ROOT.glob(".venv*/base")]
    return sorted(one.name for one in folders if version_of(one) == current_version())


def present_versions() -> List[str]:
    """Return the versions of all environments, the current one's first."""
    current = version_of(environment())
    others = [version for version in found_versions() if version != current]
    return [current, *others] if current else others


def no_environment(version: Optional[str]) -> str:
    """Return a line about a missing environment: which ones exist, and what builds it."""
    here = ", ".join(present_versions())
    found = f", only for {here}" if here else ""
    what = f"CPython {version}" if version else "the current CPython"
    return f"no environment for {what}{found}: run {remedy(version)}"


def remedy(version: Optional[str]) -> str:
    """Return the command that builds or completes an environment; None is the current one."""
    if version is None:
        return extra("site")
    return make("env" if version == "3.7" else f"env PYTHONS={version}")


def change_to(python: Path) -> None:
    """Continue in that interpreter under the same process id; return if it is this one."""
    if Path(sys.prefix).resolve() == python.parent.parent.resolve():
        return
    if python == Path(sys.executable):
        return
    sys.stdout.flush()
    sys.stderr.flush()
    os.execv(str(python), [str(python), *sys.argv])


class Probe:
    """The modules that an interpreter can import, found out by running it once."""

    def __init__(self, python: Path, modules: Iterable[str]) -> None:
        self._found: Dict[str, bool] = {}
        self.version: Optional[str] = None
        command = [str(python), "-c", _PROBE, *sorted(set(modules))]
        try:
            text = subprocess.run(
                command,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                timeout=PROBE_TIMEOUT,
                check=False,
            ).stdout
            answer = json.loads(text.decode())
        except (OSError, ValueError, subprocess.TimeoutExpired):
            return
        self._found, self.version = answer["found"], answer["version"]

    def lacks(self, modules: Iterable[str]) -> List[str]:
        """Return the modules that it cannot import."""
        return [name for name in modules if not self._found.get(name)]
