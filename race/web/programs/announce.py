"""The line by which a harness learns where an application serves."""

from __future__ import annotations

import os
import platform


def announce(name: str, address: tuple[str, int]) -> None:
    """Print server.py's line about where it serves."""
    host, port = address
    python = f"CPython {platform.python_version()}, pid {os.getpid()}"
    print(f"serving {name} on http://{host}:{port} ({python})", flush=True)
