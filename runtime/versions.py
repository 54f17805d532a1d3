"""Versions of CPython as this project writes them: "3.12.1", and "3.14.0t" of a free-threaded
build, which can run without the GIL.
"""

from __future__ import annotations

import platform
import re
import sysconfig
from typing import Tuple

FREE_THREADED = "t"


def own() -> str:
    """Return the version of this interpreter."""
    free = sysconfig.get_config_var("Py_GIL_DISABLED")
    return platform.python_version() + (FREE_THREADED if free else "")


def is_minor(text: str) -> bool:
    """Return whether a text is a version such as "3.7" or "3.14t"."""
    return re.fullmatch(r"\d\.\d{1,3}t?", text) is not None


def is_free_threaded(version: str) -> bool:
    """Return whether a version is that of a free-threaded build."""
    return version.endswith(FREE_THREADED)


def minor(version: str) -> str:
    """Return the minor version of a version: "3.14t" of "3.14.0t"."""
    numbers = ".".join(version.split(".")[:2])
    free = is_free_threaded(version) and not is_free_threaded(numbers)
    return numbers + (FREE_THREADED if free else "")


def numbers(version: str) -> Tuple[int, ...]:
    """Return the two numbers of a version: (3, 14) of "3.14.0t" and of "3.14+"."""
    return tuple(int(re.sub(r"\D.*", "", part) or 0) for part in version.split(".")[:2])


def order(version: str) -> Tuple[Tuple[int, ...], bool]:
    """Return the key by which versions are sorted: 3.7, 3.14, 3.14t."""
    return numbers(version), is_free_threaded(version)
