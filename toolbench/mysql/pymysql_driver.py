"""PyMySQL."""

from __future__ import annotations

from typing import Any

import pymysql

from toolbench.mysql.cursors import BlockingCursors


class PyMySQL(BlockingCursors):
    """Without `ssl_disabled` it would make a TLS context for each connection, as no other does."""

    def connect(self) -> Any:
        return pymysql.connect(**self.options, ssl_disabled=True)
