"""mysqlclient: MariaDB's own client library, in C."""

from __future__ import annotations

from typing import Any

import MySQLdb

from toolbench.mysql.cursors import BlockingCursors


class Mysqlclient(BlockingCursors):
    """It needs nothing but its connect."""

    def connect(self) -> Any:
        return MySQLdb.connect(**self.options)
