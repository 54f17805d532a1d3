"""PyMySQL."""

from __future__ import annotations

from typing import Any

import pymysql

from toolbench.mysql.cursors import Blocking


class PyMySQL(Blocking):
    """``toolbench.driver.Driver``."""

    def connect(self) -> Any:
        """See ``Driver``."""
        # Else it makes a TLS context for each connection, on a Unix socket too; no other does.
        return pymysql.connect(**self.options, ssl_disabled=True)
