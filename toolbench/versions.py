"""The versions of other languages and of the packages that their drivers are.

They are read before a race, when no runner is up yet: a compiled runner prints what it was built
from, and packages are read where they are installed. Each name begins with its language, because
some packages have the name of a database.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from race.machine.describe import number, output
from toolbench.languages import LANGUAGES


def versions() -> Mapping[str, str | None]:
    """Return versions by name, without those of a language whose runner was not built."""
    return {**_golang(), **_nodejs()}


def _golang() -> dict[str, str | None]:
    built = LANGUAGES["golang"].build_info()
    if not built:
        return {}
    return {"go": built["go"], **{f"go:{name}": one for name, one in built["drivers"].items()}}


def _nodejs() -> dict[str, str | None]:
    language = LANGUAGES["nodejs"]
    package = json.loads((language.folder / "package.json").read_text())
    wanted = [*package["dependencies"], *package["optionalDependencies"]]
    files = (language.built / name / "package.json" for name in wanted)
    installed = [json.loads(path.read_text()) for path in files if path.exists()]
    found = {f"node:{package['name']}": package["version"] for package in installed}
    return {"node": number(output(["node", "--version"])), **found} if found else {}
