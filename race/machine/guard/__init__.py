"""Nothing that is started here outlives us, whatever ends us: a process of its own sees our end and
ends what is left.

The signal that a child asks for at its parent's death (`process`) comes sooner, but not to who was
forked and has not asked yet, and not everybody obeys it or passes it on. Who descends from us is
known by a word in its environment, which all inherit.
"""

from __future__ import annotations

import os
import secrets
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from runtime.child import GUARD

_words: dict[int, str] = {}
"""Of this process, by its id: one that was forked from it has none yet."""


def up() -> None:
    """From now on, for all that this process starts. To be called again where the environment may
    have been put back.
    """
    outer = os.environ.get(GUARD, "")
    if os.getpid() not in _words:
        _words[os.getpid()] = _guard(outer)
    if (word := _words[os.getpid()]) not in outer.split():
        os.environ[GUARD] = f"{outer} {word}".strip()


def _guard(outer: str) -> str:
    """Start a guard, which those that guard us may end as well; the word that it looks for."""
    word = secrets.token_hex(8)
    # Nobody writes into it: it is closed with the last of us. Who was forked has it until it runs
    # a program of its own.
    reader, _ = os.pipe()
    program = str(Path(__file__).with_name("__main__.py"))
    os.posix_spawn(
        sys.executable,
        # No packages, no site: it starts in a moment, and sleeps in little memory.
        [sys.executable, "-I", "-S", program, GUARD, word, str(os.getpid())],
        {GUARD: outer},
        setsid=True,  # what is sent to our group is not for it
        file_actions=[
            (os.POSIX_SPAWN_DUP2, reader, 0),
            (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
            (os.POSIX_SPAWN_DUP2, 1, 2),
        ],
    )
    os.close(reader)
    return word


@contextmanager
def aside() -> Iterator[None]:
    """What is started meanwhile may stay."""
    words = os.environ.pop(GUARD, None)
    try:
        yield
    finally:
        if words is not None:
            os.environ[GUARD] = words
