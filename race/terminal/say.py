"""Printing lines of text: as they are, or broken between words."""

from __future__ import annotations

import textwrap

from rich.console import Console

WIDTH = 80
"""The columns where there is no terminal, the same as those of tables."""
HELD = "\u00a0"
"""A character that stands for a space at which no line ends."""


def say(console: Console, text: str) -> None:
    """Print lines that can be pasted, however long: paths, commands."""
    console.print(text, markup=False, highlight=False, soft_wrap=True)


def tell(console: Console, text: str) -> None:
    """Print lines in whole words; what does not fit the width hangs below its first line."""
    width = console.width if console.is_terminal else WIDTH
    for line in text.split("\n"):
        whole = textwrap.fill(
            line, width, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
        )
        say(console, whole.replace(HELD, " "))


def held(name: str) -> str:
    """Return a name that `tell` breaks nowhere."""
    return name.replace(" ", HELD)
