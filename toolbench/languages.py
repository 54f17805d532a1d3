"""Other languages: the programs that run or build their drivers, what was built, its versions.

Runs on CPython 3.7, too.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess
from functools import lru_cache
from pathlib import Path
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Tuple

from runtime.paths import ROOT, make
from toolbench.timeouts import TIMEOUTS

MAKE = make("drivers")


class Language(NamedTuple):
    """A language with a runner in a ``folder`` of its own.

    ``program`` runs or compiles it, in the release ``oldest`` or newer. ``built_as`` is a path in
    the folder that exists once the runner was built. ``script`` is what the program runs; without
    one, the built file is the runner, compiled from the files that match ``sources``.
    """

    program: str
    folder: Path
    built_as: str
    script: str = ""
    oldest: int = 0
    sources: Tuple[str, ...] = ()

    @property
    def built(self) -> Path:
        """The path that exists once the runner was built."""
        return self.folder / self.built_as

    @property
    def command(self) -> List[str]:
        """The command that starts the runner."""
        return [self.program, str(self.folder / self.script)] if self.script else [str(self.built)]

    def problem(self) -> Optional[str]:
        """Return why the runner cannot start here, and what to do; None if it can."""
        if shutil.which(self.program) is None:
            return f"not installed ({self.program}): make system"
        if self.oldest and int(_version(self.program).partition(".")[0]) < self.oldest:
            return f"{self.program} is older than {self.oldest}"
        if not self.built.exists():
            return f"not installed (its runner in {self.folder.name}): {MAKE}"
        if self.sources and self.build_info().get("sources") != self.digest():
            return f"built from other versions: {MAKE}"
        return None

    def build_info(self) -> Mapping[str, Any]:
        """Return what a compiled runner prints about its build; nothing if it prints no JSON.

        It has the digest of the ``sources``, the version of the language by the name of its
        program, and the versions of the ``drivers``.
        """
        if not self.built.exists():
            return {}
        try:
            return dict(json.loads(printed(str(self.built), "-built")))
        except ValueError:
            return {}

    def digest(self) -> str:
        """Return the digest of the sources, as ``scripts/drivers.sh`` computes it."""
        files = [path for pattern in self.sources for path in sorted(self.folder.glob(pattern))]
        return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()


_FOLDER = ROOT / "toolbench"
LANGUAGES = {
    "golang": Language(
        "go", _FOLDER / "golang", "bin/runner", sources=("*.go", "go.mod", "go.sum")
    ),
    "nodejs": Language("node", _FOLDER / "nodejs", "node_modules", script="runner.js", oldest=18),
}


def versions() -> Mapping[str, str]:
    """Return the versions of languages and of their drivers, without those that are not built.

    No runner is up when they are read: a compiled one prints what it was built from, and packages
    are read where they are installed. Each name begins with its language, because some packages
    have the name of a database.
    """
    found: Dict[str, str] = {}
    go, node = LANGUAGES["golang"], LANGUAGES["nodejs"]
    built = go.build_info()
    if built:
        found["go"] = built["go"]
        found.update({f"go:{name}": version for name, version in built["drivers"].items()})
    package = json.loads((node.folder / "package.json").read_text())
    files = (
        node.built / name / "package.json"
        for name in [*package["dependencies"], *package["optionalDependencies"]]
    )
    installed = [json.loads(path.read_text()) for path in files if path.exists()]
    if installed:
        found["node"] = _version(node.program)
        found.update({f"node:{one['name']}": one["version"] for one in installed})
    return found


def _version(program: str) -> str:
    """Return a program's version, such as 18.20.4; 0 if it prints none."""
    found = re.search(r"\d+(\.\d+)*", printed(shutil.which(program) or program, "--version"))
    return found.group() if found else "0"


@lru_cache(maxsize=None)
def printed(*command: str) -> str:
    """Return what a program prints; nothing if it fails."""
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=TIMEOUTS.probe,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.decode(errors="replace")
