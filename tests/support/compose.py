"""Reads docker-compose.yml, and runs its commands without containers."""

from __future__ import annotations

import contextlib
import re
import shlex
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from databases import find
from runtime.listen import free_port
from runtime.paths import ROOT
from tests.conftest import absent
from tests.support.site_client import get
from tests.support.site_server import environment, serving, until

FILE = ROOT / "docker-compose.yml"
RECIPE = ROOT / "docker" / "Dockerfile"
ALL = "0.0.0.0"  # noqa: S104 - what a container listens at
PASSWORD = "a-password-of-the-tests"
SECONDS = 40.0

_VARIABLE = re.compile(r"\$\{(?P<name>\w+):(?P<kind>[-?])(?P<rest>[^}]*)\}")


@cache
def composed() -> dict[str, Any]:
    """Return the file, with its variables as they are written."""
    found: dict[str, Any] = yaml.safe_load(FILE.read_text(encoding="utf-8"))
    return found


def services() -> dict[str, dict[str, Any]]:
    """Return the services by name."""
    found: dict[str, dict[str, Any]] = composed()["services"]
    return found


def filled(text: str, given: Mapping[str, str]) -> str:
    """Fill in a text's variables: as given, else by default, and a required one with PASSWORD."""

    def value(match: re.Match[str]) -> str:
        default = match["rest"] if match["kind"] == "-" else PASSWORD
        return given.get(match["name"]) or default

    return _VARIABLE.sub(value, text)


def words(command: str | Sequence[str], **given: str) -> list[str]:
    """Return a command's words; Compose splits a text as a shell does."""
    if isinstance(command, str):
        return shlex.split(filled(command, given))
    return [filled(word, given) for word in command]


def probe(name: str) -> list[str]:
    """Return the words of a service's health check."""
    kind, *test = services()[name]["healthcheck"]["test"]
    assert kind == "CMD"
    return words(test)


def moved(command: Sequence[str], places: Mapping[str, str]) -> list[str]:
    """Return a command with other ports and folders."""
    found = list(command)
    for old, new in places.items():
        found = [word.replace(old, new) for word in found]
    return found


def healthy(check: Sequence[str]) -> bool:
    """Return whether a health check passes."""
    done = subprocess.run(check, cwd=ROOT, capture_output=True, check=False, timeout=SECONDS)
    return done.returncode == 0


@contextlib.contextmanager
def started(command: Sequence[str], check: Sequence[str], log: Path, **env: str) -> Iterator[None]:
    """Run a service's command without its container, from unhealthy to healthy."""
    assert not healthy(check)
    with log.open("wb") as output:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            cwd=ROOT,
            env=environment(**env),
        )
    try:

        def answers() -> bool:
            assert process.poll() is None, log.read_text()
            return healthy(check)

        until(answers, SECONDS, "not healthy")
        yield
    finally:
        process.terminate()
        try:
            process.wait(SECONDS)
        finally:
            process.kill()


def site_runs(name: str, folder: Path) -> None:
    """Run a site by its command, and ask for Index."""
    port = str(free_port())
    command = moved(words(services()[name]["command"]), {"1717": port, ALL: "127.0.0.1"})
    with started(command, moved(probe(name), {"1717": port}), folder / "log"):
        assert get(f"http://127.0.0.1:{port}", "/").status == 200


def database_runs(name: str, engine: str, port: int, folder: Path) -> None:
    """Run a database by its command, and a site that uses it with its password."""
    if missing := find(name).missing():
        absent(missing)
    free = free_port()
    place = {str(port): str(free), f":{port:04X}": f":{free:04X}"}
    place |= {ALL: "127.0.0.1", "/data": str(folder)}
    given = services()[name]["environment"]
    values = moved([filled(value, {}) for value in given.values()], place)
    command = moved(words(services()[name]["command"]), place)
    env = dict(zip(given, values, strict=True))
    with started(command, moved(probe(name), place), folder / "log", **env):
        variable = find(name).url_variable
        url = filled(services()["site"]["environment"][variable], {})
        assert PASSWORD in url
        (moved_url,) = moved([url.replace(f"@{name}", "@127.0.0.1")], place)
        with serving(engine, environment(**{variable: moved_url})) as site:
            assert get(site.url, "/").status == 200
