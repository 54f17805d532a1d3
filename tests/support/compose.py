"""``docker-compose.yml`` read, and its commands as they can be run without containers."""

from __future__ import annotations

import contextlib
import re
import shlex
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from databases import find
from race.web.locust.launcher import free_port
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


def composed() -> dict[str, Any]:
    """The file, with its variables as they are written."""
    found: dict[str, Any] = yaml.safe_load(FILE.read_text(encoding="utf-8"))
    return found


def services() -> dict[str, dict[str, Any]]:
    """By their names."""
    found: dict[str, dict[str, Any]] = composed()["services"]
    return found


def filled(text: str, given: Mapping[str, str]) -> str:
    """A text with its variables filled in: as given, else by default; what must be given has
    PASSWORD.
    """

    def value(match: re.Match[str]) -> str:
        default = match["rest"] if match["kind"] == "-" else PASSWORD
        return given.get(match["name"]) or default

    return _VARIABLE.sub(value, text)


def words(command: str | Sequence[str], **given: str) -> list[str]:
    """A command's words; a text is split as a shell does, as Compose does it."""
    if isinstance(command, str):
        return shlex.split(filled(command, given))
    return [filled(word, given) for word in command]


def probe(name: str) -> list[str]:
    """The words of a service's health check."""
    kind, *test = services()[name]["healthcheck"]["test"]
    assert kind == "CMD"
    return words(test)


def moved(command: Sequence[str], places: Mapping[str, str]) -> list[str]:
    """A command with other ports and folders."""
    found = list(command)
    for old, new in places.items():
        found = [word.replace(old, new) for word in found]
    return found


def healthy(check: Sequence[str]) -> bool:
    """Whether a health check says so."""
    done = subprocess.run(check, cwd=ROOT, capture_output=True, check=False, timeout=SECONDS)
    return done.returncode == 0


@contextlib.contextmanager
def started(command: Sequence[str], check: Sequence[str], log: Path, **env: str) -> Iterator[None]:
    """A service's command outside of its container, from unhealthy to healthy."""
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
