"""Lines of text: as they are, or in whole words."""

from __future__ import annotations

import textwrap

from rich.console import Console

WIDTH = 80
"""Where there is no terminal: as tables have there."""
HELD = "\u00a0"
"""Stands for a space at which no line ends."""


def say(console: Console, text: str) -> None:
    """Lines that can be pasted, however long: paths, commands."""
    console.print(text, markup=False, highlight=False, soft_wrap=True)


def tell(console: Console, text: str) -> None:
    """Lines in whole words; what does not fit the width hangs below its first line."""
    width = console.width if console.is_terminal else WIDTH
    for line in text.split("\n"):
        whole = textwrap.fill(
            line, width, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
        )
        say(console, whole.replace(HELD, " "))


def held(name: str) -> str:
    """A name that `tell` breaks nowhere."""
    return name.replace(" ", HELD)
