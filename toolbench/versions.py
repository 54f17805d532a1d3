"""Versions of what drivers of other languages are measured with: the languages, and packages.

Packages are read from what was locked and installed: no runner is up yet when a race begins. Their
names begin with their language, for some are called like a database.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from race.machine.describe import number, output
from runtime.paths import ROOT

MODULES = ROOT / "toolbench" / "golang" / "go.mod"
RUNNER = ROOT / "toolbench" / "golang" / "bin" / "runner"
PACKAGES = ROOT / "toolbench" / "nodejs"
# "github.com/jackc/pgx/v5 v5.5.5": not what is only needed by another one, which says so behind it.
MODULE = re.compile(r"^\s+\S*?/([^/\s]+)(?:/v\d+)? v(\S+)$", re.MULTILINE)


def versions() -> Mapping[str, str | None]:
    """By name; nothing of a language whose runner was not built."""
    return {**_golang(), **_nodejs()}


def _golang() -> dict[str, str | None]:
    if not RUNNER.exists():
        return {}
    found = {f"go:{name}": version for name, version in MODULE.findall(MODULES.read_text())}
    return {"go": number(output(["go", "version"])), **found}


def _nodejs() -> dict[str, str | None]:
    files = (PACKAGES / "node_modules" / name / "package.json" for name in _wanted())
    made = [json.loads(path.read_text()) for path in files if path.exists()]
    found = {f"node:{package['name']}": package["version"] for package in made}
    return {"node": number(output(["node", "--version"])), **found} if found else {}


def _wanted() -> list[str]:
    package = json.loads((PACKAGES / "package.json").read_text())
    return [*package["dependencies"], *package["optionalDependencies"]]
