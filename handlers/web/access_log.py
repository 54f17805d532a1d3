"""The access log: at the level debug, one line for each request, the same on every framework.

An adapter calls ``wanted`` once, when it starts, and installs ``note`` in its framework only then.
At every other level a request takes no extra step.
"""

from __future__ import annotations

import logging

LOGGER = logging.getLogger("access")


def wanted() -> bool:
    """Return whether requests are logged."""
    return LOGGER.isEnabledFor(logging.DEBUG)


def note(method: str, path: str, status: int) -> None:
    """Log a request. Its text is escaped, so that a client cannot write lines of its own."""
    LOGGER.debug("%s %s %d", ascii(method)[1:-1], ascii(path)[1:-1], status)


def note_malformed() -> None:
    """Log a malformed request that was refused with 400; it has no method and no path."""
    note("-", "-", 400)
