"""The scenario of `race run --program COMMAND --path PATH`, without a file."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from itertools import chain, count
from pathlib import Path
from typing import Any

from race.errors import RaceError


def scenario(commands: Sequence[str], paths: Sequence[str] | None) -> Mapping[str, Any]:
    """Return the data of a scenario of the discipline `app`: each command on each path."""
    if len(set(commands)) < len(commands):
        raise RaceError("--program: the same command twice; the A/A twin runs without that")
    for command in commands:
        if "{port}" not in command and "{socket}" not in command:
            raise RaceError(f"--program {command!r}: write {{port}} where its port goes")
    asked = list(dict.fromkeys(paths or ["/"]))
    if wrong := [path for path in asked if not path.startswith("/")]:
        raise RaceError(f"--path {wrong[0]!r}: a path begins with /, as in --path /items")
    names = _names(commands)
    return {
        "discipline": "app",
        "title": f"{', '.join(names)} on {', '.join(asked)}",
        "serve": "{program}",
        "factors": {"program": dict(zip(names, commands, strict=True))},
        "requests": [{"name": path, "get": path} for path in asked],
        "only": asked,
    }


def _names(commands: Sequence[str]) -> list[str]:
    """Return a short name of each command: its program, with a number where that is taken."""
    found: list[str] = []
    for command in commands:
        program = _program(command)
        numbered = (f"{program}-{number}" for number in count(2))
        found.append(next(name for name in chain([program], numbered) if name not in found))
    return found


def _program(command: str) -> str:
    try:
        words = [word for word in shlex.split(command) if "=" not in word]
    except ValueError as error:
        raise RaceError(f"--program {command!r}: {error}") from None
    return re.sub(r"[^\w.+-]", "-", Path(words[0]).name) if words else "program"
