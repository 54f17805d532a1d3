"""A database driver from outside: asyncpg under another name."""

from __future__ import annotations

from toolbench.postgres.asyncpg_driver import Asyncpg


class ToyTool(Asyncpg):
    """See ``toolbench.driver.MeasuredDriver``."""
