"""The GIL, the lock of the interpreter, in builds that can run without it: read while they serve.

Such a process enables the GIL again, for the rest of its life, when it imports a module that does
not declare that it runs without it. If SITE_LOCK names a folder, each process of a server writes
``<its pid>.json`` there ten times a second: {"taken", "by"}, where "by" is the module that the GIL
was enabled for, or null. A thread does that, so that it goes on under load.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import sys
import threading
import time
import warnings
from pathlib import Path
from typing import Any, Optional

VARIABLE = "SITE_LOCK"
EVERY_SECONDS = 0.1
_ABOUT = re.compile(r"interpreter lock \(GIL\) has been enabled to load module '([^']+)'")


class _Cause:
    """The module that the lock was taken for, as CPython's one warning says."""

    def __init__(self) -> None:
        self.module: Optional[str] = None
        self._show = warnings.showwarning

    def show(self, message: Any, *others: Any, **named: Any) -> None:
        """Replace `warnings.showwarning`: it reads the warning and shows it."""
        found = _ABOUT.search(str(message))
        if found:
            self.module = found[1]
        self._show(message, *others, **named)


_cause = _Cause()


def taken() -> bool:
    """Return whether this process has the lock now; most builds always have it."""
    check = getattr(sys, "_is_gil_enabled", None)
    return bool(check is None or check())


def remember_cause() -> None:
    """Remember the module that the lock is taken for from now on."""
    warnings.showwarning = _cause.show


def tell() -> None:
    """Begin to tell the lock's state of this process, if SITE_LOCK asks for it."""
    folder = os.environ.get(VARIABLE)
    if folder:
        threading.Thread(target=_tell, args=(Path(folder),), daemon=True).start()


def _tell(folder: Path) -> None:
    path = folder / f"{os.getpid()}.json"
    fresh = path.with_suffix(".new")
    # The process that reads may have ended and removed its folder.
    with contextlib.suppress(OSError):
        while True:
            fresh.write_text(json.dumps({"taken": taken(), "by": _cause.module}))
            fresh.replace(path)
            time.sleep(EVERY_SECONDS)
