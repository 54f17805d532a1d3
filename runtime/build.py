"""Describes the build of the CPython that runs it: `python -I runtime/build.py` prints it as JSON.

The same version may be a third slower when it was built without profile-guided optimisation (PGO)
and link-time optimisation (LTO), as `pyenv install` builds it.
"""

from __future__ import annotations

import json
import platform
import shlex
import sys
import sysconfig
import time
from typing import Any, Dict, Optional

REPEATS = 40
TURNS = 2_000


def describe() -> Dict[str, Any]:
    """Return what is known of this build, and the time of the loop in microseconds."""
    flags = sysconfig.get_config_var("CONFIG_ARGS") or ""
    return {
        "pgo": _has(flags, "--enable-optimizations"),
        "lto": _has(flags, "--with-lto"),
        "flags": [word for word in shlex.split(flags) if "/" not in word],
        "compiler": platform.python_compiler(),
        "loop_us": round(loop_us(), 1),
    }


def _has(flags: str, flag: str) -> Optional[bool]:
    """Return whether it was built with a flag; None for a distribution's, which do it themselves.

    Debian optimises its builds without these flags.
    """
    if flag in flags:
        return True
    return None if sys.base_prefix == "/usr" else False


def loop_us() -> float:
    """Return the shortest time of the loop: what other programs take only makes it longer."""
    times = []
    for _ in range(REPEATS):
        began = time.perf_counter()
        _loop(TURNS)
        times.append(time.perf_counter() - began)
    return min(times) * 1e6


def _loop(turns: int) -> int:
    """Call, compare, count in a dictionary, make texts: what pages and drivers do most."""
    seen: Dict[str, int] = {}
    for number in range(turns):
        name = _name(number)
        seen[name] = seen.get(name, 0) + number
    return sum(seen.values())


def _name(number: int) -> str:
    return "even" if number % 2 == 0 else f"odd {number % 7}"


if __name__ == "__main__":
    print(json.dumps(describe()))
