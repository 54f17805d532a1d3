"""The terminal. Names and reasons of saved races, files and servers are shown and never obeyed."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TextIO
from unicodedata import category

from rich import console
from rich.console import ConsoleOptions, RenderableType
from rich.segment import Segment

OBEYED = {"Cc", "Cf", "Cs", "Zl", "Zp"}
"""Categories of characters that a terminal obeys, such as ESC, or cannot show."""


class Console(console.Console):
    """A terminal on which text is only text: without escape sequences and without markup."""

    def __init__(
        self, *, stderr: bool = False, file: TextIO | None = None, width: int | None = None
    ) -> None:
        super().__init__(stderr=stderr, file=file, width=width, markup=False, emoji=False)

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Yield the segments of something that is drawn; rich's own commands stay."""
        for segment in super().render(renderable, options):
            if segment.control:
                yield segment
            else:
                yield Segment(visible(segment.text), segment.style)


def visible(text: str, kept: str = "\n\t") -> str:
    """Return text with its control characters, but for those `kept`, as escapes: ESC is \\x1b."""
    if text.isprintable():
        return text
    return "".join(
        ascii(one)[1:-1] if category(one) in OBEYED and one not in kept else one for one in text
    )


def write(text: str, file: TextIO | None = None, end: str = "\n") -> None:
    """Print text to standard output, or to another file, as it stands but visible."""
    print(visible(text), file=file or sys.stdout, end=end)
