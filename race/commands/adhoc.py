"""The scenario of `race run --program COMMAND --path PATH`, without a file."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from race.errors import RaceError


def scenario(commands: Sequence[str], paths: Sequence[str] | None) -> Mapping[str, Any]:
    """Return the data of a scenario of the discipline `app`: each command on each path."""
    if len(set(commands)) < len(commands):
        raise RaceError("--program: the same command twice; the A/A twin runs without that")
    for command in commands:
        if "{port}" not in command:
            raise RaceError(f"--program {command!r}: write {{port}} where its port goes")
    asked = list(dict.fromkeys(paths or ["/"]))
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
    """Return a short name of each command: its program, with a number where that is another's."""
    found: list[str] = []
    for command in commands:
        name = _program(command)
        same = [one for one in found if one == name or one.startswith(f"{name}-")]
        found.append(f"{name}-{len(same) + 1}" if same else name)
    return found


def _program(command: str) -> str:
    try:
        words = [word for word in shlex.split(command) if "=" not in word]
    except ValueError as error:
        raise RaceError(f"--program {command!r}: {error}") from None
    return Path(words[0]).name if words else "program"
