"""Guesses how an application starts, from its source, for the first race.toml."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

MOST_FILES = 5000
SKIPPED = {"node_modules", "site-packages", "tests", "test", "docs", "build", "dist"}


@dataclass(frozen=True)
class Framework:
    """A framework: what creates its application in the source, and the command that serves one.

    `{module}` and `{name}` stand in the command for where the application is.
    """

    name: str
    created: str
    serve: str


ASGI = "uvicorn {module}:{name} --port {{port}} --no-access-log"
FRAMEWORKS = (
    Framework("FastAPI", r"FastAPI\(", ASGI),
    Framework("Starlette", r"Starlette\(", ASGI),
    Framework("Litestar", r"Litestar\(", ASGI),
    Framework("Quart", r"Quart\(", "hypercorn {module}:{name} --bind 127.0.0.1:{{port}}"),
    Framework("Sanic", r"Sanic\(", "sanic {module}:{name} --port {{port}} --single-process"),
    Framework(
        "Flask", r"Flask\(", "gunicorn {module}:{name} --bind 127.0.0.1:{{port}} --threads 4"
    ),
    Framework(
        "Django",
        r"get_wsgi_application\(",
        "gunicorn {module}:{name} --bind 127.0.0.1:{{port}} --threads 4",
    ),
    Framework(
        "aiohttp",
        r"(?:web|aiohttp\.web)\.Application\(",
        "python -m aiohttp.web -H 127.0.0.1 -P {{port}} {module}:FUNCTION",
    ),
)


@dataclass(frozen=True)
class Guess:
    """A framework that was found, the file that creates its application, and the command."""

    framework: str
    file: Path
    serve: str


def guess(folder: Path) -> Guess | None:
    """Return how the application in a folder starts; None if no file creates one."""
    found = [
        Guess(
            one.name, path, run(folder, one.serve.format(module=_module(folder, path), name=name))
        )
        for path in _sources(folder)
        for one in FRAMEWORKS
        for name in _created(path, one)
    ]
    return min(found, key=lambda one: len(one.file.parts), default=None)


def run(folder: Path, command: str) -> str:
    """Return a command of Python's as it runs in the environment of a folder."""
    return f"uv run {command}" if (folder / "uv.lock").exists() else command


def build(folder: Path) -> str:
    """Return the command that installs what the application needs; "" if no lock says so."""
    if (folder / "uv.lock").exists():
        return "uv sync --frozen"
    if (folder / "package-lock.json").exists():
        return "npm ci"
    return "go build -o server ." if (folder / "go.mod").exists() else ""


def sources(folder: Path, found: Guess | None) -> list[Path]:
    """Return the files that may have routes: that of the application first. Where no framework was
    found, those of its top folder.
    """
    if found is None:
        return [path for path in _entries(folder) if path.is_file() and "test" not in path.name]
    return [found.file, *(path for path in _sources(folder) if path != found.file)]


def form(folder: Path) -> str:
    """Return a command in the language of an application that was not recognised. A person must
    change it.
    """
    if (folder / "go.mod").exists():
        return "./server -addr 127.0.0.1:{port}"
    if (folder / "package.json").exists():
        return "PORT={port} node server.js"
    return "python app.py --port {port}"


def _sources(folder: Path) -> Iterator[Path]:
    """Yield the Python files of a folder, without environments and tests, if it has not too many
    files of all kinds.
    """
    waiting, left = [folder], MOST_FILES
    while waiting and left > 0:
        for path in _entries(waiting.pop(0)):
            left -= 1
            if path.name.startswith(".") or path.name in SKIPPED or path.is_symlink():
                continue
            if path.suffix == ".py":
                yield path
            elif path.is_dir() and not (path / "pyvenv.cfg").exists():
                waiting.append(path)


def _entries(folder: Path) -> list[Path]:
    """Return what is in a folder, nothing of one that may not be read."""
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []


def _created(path: Path, framework: Framework) -> Iterator[str]:
    """Yield the names that a module gives to applications of a framework."""
    try:
        text = path.read_text(errors="replace")
    except OSError:
        return
    pattern = rf"^(\w+)(?:\s*:[^=\n]+)?\s*=\s*(?:\w+\.)*{framework.created}"
    for match in re.finditer(pattern, text, re.MULTILINE):
        yield match[1]


def _module(folder: Path, path: Path) -> str:
    """Return the dotted name of a module, from the folder or from its `src`."""
    parts = list(path.relative_to(folder).with_suffix("").parts)
    if parts[0] == "src":
        parts.pop(0)
    if parts[-1] == "__init__":
        parts.pop()
    return ".".join(parts)
