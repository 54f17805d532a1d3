"""Writes commands that can be pasted into the shell that this one was typed in."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from pathlib import Path

from race.paths import RESULTS


def resume(folder: Path, word: str = "resume") -> str:
    """Return the command, `word` of `race`, that goes on with the race in a folder."""
    folder = folder.resolve()
    words = [*_program(), word, folder.name]
    if folder.parent != RESULTS.resolve():
        words += ["--results", near(folder.parent)]
    return shlex.join(words)


def _program() -> list[str]:
    """Return the words that `race` was called by."""
    program = Path(sys.argv[0]).absolute()
    if program.name == "__main__.py":  # python -m race
        return [near(Path(sys.executable)), "-m", "race"]
    found = shutil.which(program.name)
    if found and Path(found).absolute() == program:
        return [program.name]
    return [near(program)]


def near(path: Path) -> str:
    """Return a path from the working directory if it is below it, else the whole path."""
    path = Path(os.path.normpath(path.absolute()))
    here = Path.cwd()
    if path == here or not path.is_relative_to(here):
        return str(path)
    shown = str(path.relative_to(here))
    return shown if os.sep in shown else f".{os.sep}{shown}"
