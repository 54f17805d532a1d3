"""PyMySQL."""

from __future__ import annotations

from typing import Any

import pymysql

from toolbench.mysql.cursors import Blocking


class PyMySQL(Blocking):
    """``toolbench.driver.Driver``."""

    def connect(self) -> Any:
        """See ``Driver``."""
        return pymysql.connect(**self.options)
