"""A guard process ends whatever this process has started and left behind, however it ended.

Children also ask the kernel for a signal at their parent's death (`race.machine.process`). That
comes sooner, but a child that was just forked has not asked yet, and some programs ignore the
signal or do not pass it on. The guard knows our descendants by a random word in their environment,
which every process inherits.
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
"""The guard's word by process id: a process that was forked from this one has none yet."""


def up() -> None:
    """Guard all that this process starts from now on.

    Call it again where somebody may have restored the environment, as tests do.
    """
    outer = os.environ.get(GUARD, "")
    if os.getpid() not in _words:
        _words[os.getpid()] = _guard(outer)
    if (word := _words[os.getpid()]) not in outer.split():
        os.environ[GUARD] = f"{outer} {word}".strip()


def _guard(outer: str) -> str:
    """Start a guard and return its word. The guards of our own parents may end it as well."""
    word = secrets.token_hex(8)
    # Nothing is written into this pipe. Each copy of this process holds its other end until it
    # ends or calls exec, so the guard can tell whether there are any (``copies``).
    reader, _ = os.pipe()
    program = str(Path(__file__).with_name("__main__.py"))
    os.posix_spawn(
        sys.executable,
        # Without site and packages it starts at once and needs little memory.
        [sys.executable, "-I", "-S", program, GUARD, word, str(os.getpid())],
        {GUARD: outer},
        setsid=True,  # signals to our process group must not reach it
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
    """Let what is started meanwhile outlive this process."""
    words = os.environ.pop(GUARD, None)
    try:
        yield
    finally:
        if words is not None:
            os.environ[GUARD] = words
