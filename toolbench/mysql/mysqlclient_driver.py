"""mysqlclient: MariaDB's own client library, in C."""

from __future__ import annotations

from typing import Any

import MySQLdb

from toolbench.mysql.cursors import Blocking


class Mysqlclient(Blocking):
    """``toolbench.driver.Driver``."""

    def connect(self) -> Any:
        """See ``Driver``."""
        return MySQLdb.connect(**self.options)
