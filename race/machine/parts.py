"""Every part that is here or locked, with its version and licence: `race doctor --json`.

Nothing is asked of a network: environments say what is installed in them, locks and recipes what
they name, Debian what it installed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from race.machine.describe import number, output
from runtime.interpreters import environment, executable, found_versions
from runtime.paths import ROOT

UNKNOWN = "unknown"
OF_ITS_PARTS = "those of the packages in it"
LONGEST = 60
"""A licence as its package names it; longer is a licence's whole text."""
TEXTS = {
    "MIT": "Permission is hereby granted, free of charge",
    "Apache-2.0": "Apache License",
    "BSD-3-Clause": "Redistribution and use in source and binary forms",
}
"""How licences begin that are told by their text alone, as packages of Go have them."""
PROGRAMS = ("util-linux", "bash", "make")
"""Debian packages that are needed beside those of scripts/apt-packages.txt."""

_PACKAGES = """
import json, platform
try:
    from importlib.metadata import distributions
except ImportError:
    from importlib_metadata import distributions
found = []
for one in distributions():
    data = one.metadata
    kinds = [text.rpartition(" :: ")[2] for text in data.get_all("Classifier") or ()
             if text.startswith("License ::")]
    named = [data.get("License-Expression"), data.get("License"), " / ".join(kinds)]
    found.append([data["Name"], data["Version"], named])
print(json.dumps([platform.python_version(), found]))
"""


@dataclass(frozen=True, order=True)
class Part:
    """Something that is not ours; `where` it is installed or named."""

    where: str
    name: str
    version: str
    licence: str


def parts() -> list[dict[str, str]]:
    """Every part, sorted by where it is."""
    kinds: list[Callable[[], Iterator[Part]]] = [python, golang, node, debian, images, actions, oha]
    return [asdict(one) for one in sorted({part for kind in kinds for part in kind()})]


def python() -> Iterator[Part]:
    """Interpreters, and the packages in the environment of each."""
    for version in (None, *found_versions()):
        where = environment(version).name
        program = executable(version)
        if not program.exists():
            continue
        answer = output([str(program), "-c", _PACKAGES])
        if not answer:
            yield Part(where, "its packages", UNKNOWN, UNKNOWN)
            continue
        running, found = json.loads(answer)
        yield Part(where, "CPython", running, "PSF-2.0")
        for name, release, named in found:
            yield Part(where, name, release, _named(named))


def golang(cache: Path | None = None) -> Iterator[Part]:
    """Modules of the runner in Go; the cache has their licences once they were fetched."""
    if version := number(output(["go", "version"])):
        yield Part("toolbench/golang", "Go", version, "BSD-3-Clause")
    if cache is None:
        cache = Path(output(["go", "env", "GOMODCACHE"]) or "/nowhere")
    lines = (ROOT / "toolbench/golang/go.mod").read_text(encoding="utf-8").splitlines()
    for name, version in (words.groups() for words in map(_REQUIRED.match, lines) if words):
        texts = sorted((cache / f"{name}@{version}").glob("LICENSE*"))
        licence = _by_text(texts[0].read_text(errors="replace")) if texts else UNKNOWN
        yield Part("toolbench/golang", name, version, licence)


_REQUIRED = re.compile(r"\t(\S+) (v\S+)")


def node() -> Iterator[Part]:
    """Packages of the runner in Node, as locked."""
    lock = json.loads((ROOT / "toolbench/nodejs/package-lock.json").read_text(encoding="utf-8"))
    for path, one in lock["packages"].items():
        if path:
            name = path.rpartition("node_modules/")[2]
            yield Part("toolbench/nodejs", name, one["version"], one.get("license", UNKNOWN))


def debian() -> Iterator[Part]:
    """Packages of the system: those that `make system` installs, where they are installed."""
    lines = (ROOT / "scripts/apt-packages.txt").read_text(encoding="utf-8").splitlines()
    named = [line.split()[0] for line in lines if line and not line.startswith("#")]
    for name in (*named, *PROGRAMS):
        version = output(["dpkg-query", "-W", "-f", "${db:Status-Status} ${Version}", name])
        if version.startswith("installed "):
            yield Part("Debian", name, version.partition(" ")[2], _copyright(name))


def images() -> Iterator[Part]:
    """Images that recipes and jobs name, whether or not they are here."""
    files = ["docker/Dockerfile", "docker-compose.yml"]
    files += sorted(str(path.relative_to(ROOT)) for path in ROOT.glob(".github/workflows/*.yml"))
    for file in files:
        text = (ROOT / file).read_text(encoding="utf-8")
        for name, version in _IMAGE.findall(text):
            yield Part(file, f"image {name}", version, OF_ITS_PARTS)


_IMAGE = re.compile(
    r"^\s*(?:FROM|image:|container:) ([\w./-]+):([\w.-]+@sha256:[0-9a-f]{64})", re.MULTILINE
)


def actions() -> Iterator[Part]:
    """What the jobs of CI use. A file says nothing of their licences; this one's is known."""
    for path in ROOT.glob(".github/workflows/*.yml"):
        for name, commit, version in _ACTION.findall(path.read_text(encoding="utf-8")):
            licence = "MIT" if name == "actions/checkout" else UNKNOWN
            file = str(path.relative_to(ROOT))
            yield Part(file, f"action {name}", f"{version} {commit}", licence)


_ACTION = re.compile(r"uses: ([\w./-]+)@([0-9a-f]{40})  # (\S+)")


def oha() -> Iterator[Part]:
    """The load generator that `make oha` builds."""
    if version := number(output(["oha", "--version"])):
        yield Part("cargo", "oha", version, "MIT")


def _named(named: list[str | None]) -> str:
    """The first of a package's ways to name its licence that names one."""
    for text in named:
        line = (text or "").strip()
        if line and line != "UNKNOWN" and "\n" not in line and len(line) <= LONGEST:
            return line
    return UNKNOWN


def _by_text(text: str) -> str:
    return next((name for name, begins in TEXTS.items() if begins in text), UNKNOWN)


def _copyright(package: str) -> str:
    """The licences in a Debian package's file; that file where it does not list them."""
    path = Path(f"/usr/share/doc/{package}/copyright")
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return UNKNOWN
    names = {name.strip() for name in re.findall(r"^License: *(\S.*)$", text, re.MULTILINE)}
    return ", ".join(sorted(names)) or f"see {path}"
