"""MariaDB past the drivers that are measured in it: ``toolbench.witness.Witness``.

A connection without converters: each value is the text that the server sent. What is right is so
the database's own word; and the orders that it has are held against the formula that made them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pymysql
from pymysql.converters import encoders

from data_interface.sql.placeholders import statement_for
from databases import find
from race.errors import CellFailed
from toolbench.check import Texts, Types, complaint
from toolbench.mysql import table
from toolbench.mysql.cursors import DATABASE
from toolbench.operation import Operation
from toolbench.records import records
from toolbench.runner.tagged import tagged

# The table's comment: which version of the formula made it. Set when all is there.
VERSION = hashlib.sha256(Path(table.__file__).read_bytes()).hexdigest()
MARK = """
    SELECT table_comment FROM information_schema.tables
    WHERE table_schema = DATABASE() AND table_name = $1"""


class MysqlWitness:
    """See ``Witness``; ``url`` is the database's, as its variable has it."""

    TYPES: Mapping[str, str] = {
        "tinyint": "int",
        "bigint": "int",
        "double": "float",
        "varchar": "text",
        "varbinary": "bytes",
    }

    def __init__(self, url: str) -> None:
        self._where = find("mysql").address(url)
        self._connection: Any = None

    def prepare(self, operation: Operation) -> None:
        """See ``Witness``."""
        if table.TABLE in operation.sql:
            self._make_orders()
        self._run(*operation.prepare)

    def reset(self, operation: Operation) -> None:
        """See ``Witness``."""
        self._run(*operation.reset)

    def expected(self, operation: Operation) -> Texts:
        """See ``Witness``. Of a burst, the rows of each record's query in turn."""
        if operation.writes:
            return []
        if not operation.records:
            return self._texts(operation.sql, operation.args)
        asked = records(operation.records.form, operation.records.count)
        return [row for record in asked for row in self._texts(operation.sql, record)]

    def after(self, operation: Operation) -> Texts:
        """See ``Witness``."""
        return self._texts(operation.after)

    def close(self) -> None:
        """See ``Witness``."""
        connection, self._connection = self._connection, None
        if connection is not None and connection.open:
            connection.close()

    def _make_orders(self) -> None:
        """Write them where they are missing, or of another formula."""
        if self._texts(MARK, [table.TABLE]) == [[VERSION]]:
            return
        self._run(f"DROP TABLE IF EXISTS {table.TABLE}", table.CREATE)
        self._run("START TRANSACTION")
        self._ask(table.INSERT, table.orders(), many=True)
        self._run("COMMIT", f"ANALYZE TABLE {table.TABLE}")
        given = [[tagged(value) for value in order] for order in table.orders()]
        texts = self._texts(f"SELECT * FROM {table.TABLE} ORDER BY id")  # noqa: S608  a constant
        wrong = complaint("the orders", table.COLUMNS, Types(self.TYPES), texts, given)
        if wrong is not None:
            raise CellFailed(f"MariaDB does not keep what it was given: {wrong}")
        self._run(f"ALTER TABLE {table.TABLE} COMMENT = '{VERSION}'")

    def _run(self, *statements: str) -> None:
        for statement in statements:
            self._ask(statement)

    def _texts(self, sql: str, arguments: Sequence[Any] = ()) -> Texts:
        """The rows of a query."""
        text, order = statement_for(sql)
        rows = self._ask(text, [arguments[place] for place in order] or None)
        return [[_text(value) for value in row] for row in rows]

    def _ask(self, text: str, arguments: Any = None, *, many: bool = False) -> Any:
        """A statement's rows, as the library has them; CellFailed when it fails."""
        try:
            with self._connected().cursor() as cursor:
                (cursor.executemany if many else cursor.execute)(text, arguments)
                return cursor.fetchall()
        except (pymysql.MySQLError, OSError) as error:
            self.close()
            line = str(error.args[-1] if error.args else error).partition("\n")[0]
            raise CellFailed(f"MariaDB, asked by the harness: {line}") from None

    def _connected(self) -> Any:
        """The connection, made anew where it was lost; in the database that drivers are given."""
        if self._connection is None:
            where = self._where
            place: dict[str, Any] = {"unix_socket": where.path}
            if not where.path:
                place = {"host": where.host, "port": where.port}
            self._connection = pymysql.connect(
                **place,
                user=where.user,
                password=where.password or "",
                charset="utf8mb4",
                autocommit=True,
                # Into SQL, and nothing back.
                conv=encoders,
            )
            name = where.name or DATABASE
            with self._connection.cursor() as cursor:
                cursor.execute(f"CREATE DATABASE IF NOT EXISTS `{name}`")
            self._connection.select_db(name)
        return self._connection


def _text(value: Any) -> str | None:
    """Bytes as hexadecimal digits."""
    return value.hex() if isinstance(value, bytes) else value
