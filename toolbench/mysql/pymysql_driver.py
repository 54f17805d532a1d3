"""PyMySQL."""

from __future__ import annotations

from typing import Any

import pymysql

from toolbench.mysql.cursors import BlockingCursors


class PyMySQL(BlockingCursors):
    """PyMySQL without TLS, for which it would make a context for each connection."""

    def connect(self) -> Any:
        return pymysql.connect(**self.options, ssl_disabled=True)
