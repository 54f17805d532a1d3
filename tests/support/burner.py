"""Processes of known work."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

BURN = """
import sys, time
def burn(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass
"""
FOREVER = "print('ready', flush=True)" + BURN + "\nburn(60)"
"""Says that it began, and uses a core until it is killed."""


@contextmanager
def python(code: str) -> Iterator[subprocess.Popen[bytes]]:
    """A process that ran `code`, said so, and waits."""
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    try:
        assert process.stdout is not None
        process.stdout.readline()
        yield process
    finally:
        process.communicate(timeout=10)
