"""Which tests share a process of pytest-xdist under ``--dist loadgroup``.

The plugin's own marks are lost on pytest 9.2, which keeps a test's id where pytest-xdist 3.8 does
not look; its interface for a scheduler of one's own is public and needs no marks.
"""

from __future__ import annotations

import re

from xdist.scheduler import LoadScopeScheduling  # type: ignore[import-untyped]

from data_interface import BACKENDS
from handlers import SERVERS, WEB

# The beginning of an engine's name, up to its backend.
PAIR = re.compile(
    rf"\b(?:{'|'.join(WEB)})-(?:(?:{'|'.join(SERVERS)})-)?(?:{'|'.join(BACKENDS)})(?=-)"
)

# Long tests that share nothing, by folder and file: one process alone would be the last to end.
SPREAD = {
    "locust/test_runs.py",
    "locust/test_workers.py",
    "race/test_faults.py",
    "race/test_killed.py",
    "stores/test_on_3_7.py",
}


class Grouped(LoadScopeScheduling):  # type: ignore[misc]
    """Runs tests of one framework on one server and backend in one process: they share it."""

    def _split_scope(self, nodeid: str) -> str:
        return group(nodeid)


def group(nodeid: str) -> str:
    """Return the name of a test's group; a group runs in one process."""
    path, _, rest = nodeid.partition("::")
    if path.endswith(tuple(SPREAD)):
        return nodeid
    match = PAIR.search(rest) if "/engines/" in path else None
    return match[0] if match else path
