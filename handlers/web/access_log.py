"""The access log: at the level debug a line for each request, the same on every framework.

An adapter asks ``wanted`` once, when it starts, and only then hangs ``note`` into its framework:
at every other level nothing is added to the way of a request.
"""

from __future__ import annotations

import logging

LOGGER = logging.getLogger("access")


def wanted() -> bool:
    """Whether requests are noted."""
    return LOGGER.isEnabledFor(logging.DEBUG)


def note(method: str, path: str, status: int) -> None:
    """A line; what a client sent is escaped, so that it writes no lines of its own."""
    LOGGER.debug("%s %s %d", ascii(method)[1:-1], ascii(path)[1:-1], status)


def note_malformed() -> None:
    """A line for what is no HTTP and was refused with 400: of method and path nothing is known."""
    note("-", "-", 400)
