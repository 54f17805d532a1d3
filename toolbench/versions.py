"""Versions of what drivers of other languages are measured with: the languages, and packages.

They are asked before a race begins, when no runner is up yet: a compiled one says what was built
in, packages are read where they are installed. Their names begin with their language, for some are
called like a database.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from race.machine.describe import number, output
from toolbench.drivers import LANGUAGES


def versions() -> Mapping[str, str | None]:
    """By name; nothing of a language whose runner was not built."""
    return {**_golang(), **_nodejs()}


def _golang() -> dict[str, str | None]:
    told = LANGUAGES["golang"].told()
    if not told:
        return {}
    return {"go": told["go"], **{f"go:{name}": one for name, one in told["drivers"].items()}}


def _nodejs() -> dict[str, str | None]:
    language = LANGUAGES["nodejs"]
    package = json.loads((language.folder / "package.json").read_text())
    wanted = [*package["dependencies"], *package["optionalDependencies"]]
    files = (language.built / name / "package.json" for name in wanted)
    made = [json.loads(path.read_text()) for path in files if path.exists()]
    found = {f"node:{package['name']}": package["version"] for package in made}
    return {"node": number(output(["node", "--version"])), **found} if found else {}
