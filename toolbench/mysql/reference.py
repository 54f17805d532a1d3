"""The reference for MariaDB.

Its connection has no converters: each value is the text that the server sent, so that no driver
converts it. The orders in the database are compared with the formula that made them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pymysql
from pymysql.constants import CR
from pymysql.converters import encoders

from data_interface.sql.placeholders import statement_for
from databases import find
from race.errors import CellFailed
from runtime.address import Address
from toolbench.check import Texts, Types, complaint
from toolbench.mysql import table, users
from toolbench.mysql.cursors import DATABASE, connect_options
from toolbench.operation import OperationSpec, records
from toolbench.runner.values import decode, encode
from toolbench.timeouts import TIMEOUTS

TYPES = {
    **dict.fromkeys(("tinyint", "bigint"), "int"),
    **dict.fromkeys(("varchar", "text"), "text"),
    "double": "float",
    "varbinary": "bytes",
}
# Functions that turn texts of the server into the form of encoded values.
NORMAL_FORMS: Mapping[str, Callable[[str], str]] = {
    "datetime": lambda text: text.replace(" ", "T"),
    "double": lambda text: repr(float(text)),
}
# The numbers of errors that end a connection.
CONNECTION_LOST = {CR.CR_SERVER_GONE_ERROR, CR.CR_SERVER_LOST}
# The version of the formula: the table has it as its comment once all orders are written.
VERSION = hashlib.sha256(Path(table.__file__).read_bytes()).hexdigest()
COMMENT = """
    SELECT table_comment FROM information_schema.tables
    WHERE table_schema = DATABASE() AND table_name = $1"""
# A driver that keeps a transaction open must not stop the race.
SESSION = "SET lock_wait_timeout = 5, innodb_lock_wait_timeout = 5, max_statement_time = 20"


class MysqlReference:
    """A `Reference`."""

    types: Mapping[str, str] = TYPES

    def __init__(self, url: str) -> None:
        self._address: Address = find("mysql").address(url)
        self._connection: Any = None
        # The rows that operations must read: nobody else writes into the table.
        self._expected: dict[str, Texts] = {}

    def prepare(self, operation: OperationSpec) -> None:
        if table.TABLE in operation.sql:
            self._make_orders()
        if users.TABLE in operation.sql:
            self._make_users(operation.sizes[users.ROWS])
        self.run(operation.prepare)

    def run(self, statements: Sequence[str]) -> None:
        for statement in statements:
            self._ask(statement)

    def expected(self, operation: OperationSpec) -> Texts:
        """Return the rows that the operation must read; of a burst, those of all its queries."""
        if operation.name not in self._expected:
            made = operation.records
            asked: Sequence[Sequence[Any]] = (
                records(made.form, made.count) if made else [operation.args]
            )
            rows = [row for one in asked for row in self._texts(operation.sql, one)]
            self._expected[operation.name] = _normalised(operation.columns, rows)
        return self._expected[operation.name]

    def after(self, operation: OperationSpec) -> Texts:
        return self._texts(operation.after)

    def close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None and connection.open:
            connection.close()

    def _make_orders(self) -> None:
        """Write the orders unless they are there, of this formula; compare some of them."""
        if self._made(table.TABLE, VERSION):
            return
        self._expected.clear()
        self.run([f"DROP TABLE IF EXISTS {table.TABLE}", table.CREATE, "START TRANSACTION"])
        self._ask(table.INSERT, table.orders(), many=True)
        self.run(["COMMIT", f"ANALYZE TABLE {table.TABLE}"])
        texts = self._texts(table.SAMPLE)
        found = Types(TYPES, {}).rows(table.COLUMNS, _normalised(table.COLUMNS, texts))
        right = [[encode(value) for value in order] for order in table.sample()]
        if wrong := complaint("MariaDB, the orders", right, found):
            raise CellFailed(wrong)
        self.run([f"ALTER TABLE {table.TABLE} COMMENT = '{VERSION}'"])

    def _make_users(self, rows: int) -> None:
        """Write so many users unless they are there."""
        version = f"{rows} users"
        if not self._made(users.TABLE, version):
            self._expected.clear()
            named = f"ALTER TABLE {users.TABLE} COMMENT = '{version}'"
            self.run([*users.making(rows), named])

    def _made(self, name: str, version: str) -> bool:
        """Return whether all of a table was written, as the version says that its comment names."""
        return self._texts(COMMENT, [name]) == [[version]]

    def _texts(self, sql: str, arguments: Sequence[Any] = ()) -> Texts:
        """Return the rows of a query that has `$1` for its arguments."""
        text, order = statement_for(sql)
        rows = self._ask(text, [decode(arguments[place]) for place in order] or None)
        return [[_text(value) for value in row] for row in rows]

    def _ask(self, text: str, arguments: Any = None, *, many: bool = False) -> Any:
        """Execute a statement, and return its rows as the library has them."""
        old = self._connection is not None
        try:
            with self._connected().cursor() as cursor:
                (cursor.executemany if many else cursor.execute)(text, arguments)
                return cursor.fetchall()
        except pymysql.MySQLError as error:
            self.close()
            if old and CONNECTION_LOST.intersection(error.args[:1]):
                # The database may have been away meanwhile, and back.
                return self._ask(text, arguments, many=many)
            line = " ".join(str(error.args[-1] if error.args else error).split())
            raise CellFailed(f"mysql: {line}") from None

    def _connected(self) -> Any:
        """Return the connection, to the same database as those of the drivers."""
        if self._connection is None:
            self._connection = pymysql.connect(
                # The database may not exist yet.
                **{**connect_options(self._address), "database": None},
                connect_timeout=round(TIMEOUTS.connect),
                read_timeout=TIMEOUTS.statement,
                write_timeout=TIMEOUTS.statement,
                conv=encoders,  # of arguments; there are no decoders
            )
            with self._connection.cursor() as cursor:
                if self._address.name is None:
                    cursor.execute(f"CREATE DATABASE IF NOT EXISTS {DATABASE}")
                cursor.execute(SESSION)
            self._connection.select_db(self._address.name or DATABASE)
        return self._connection


def _normalised(columns: Sequence[tuple[str, str]], rows: Texts) -> Texts:
    """Return rows with their texts in the form that encoded values have."""
    forms = [NORMAL_FORMS.get(kind) for _, kind in columns]
    return [
        [
            form(text) if form and text is not None else text
            for form, text in zip(forms, row, strict=True)
        ]
        for row in rows
    ]


def _text(value: Any) -> str | None:
    """Return a value of the server as a text: bytes become hexadecimal digits."""
    return value.hex() if isinstance(value, bytes) else value
