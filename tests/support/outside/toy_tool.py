"""A database driver from outside: asyncpg under another name."""

from __future__ import annotations

from toolbench.postgres.asyncpg_driver import Asyncpg


class ToyTool(Asyncpg):
    """A driver outside the project, with the methods of ``toolbench.driver.MeasuredDriver``."""
