"""MariaDB past the drivers that are measured in it.

A connection without converters: each value is the text that the server sent, so that no conversion
of a driver has a part in it. The orders that it has are held against the formula that made them.
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
from toolbench.mysql import table
from toolbench.mysql.cursors import DATABASE, connect_options
from toolbench.operation import Operation
from toolbench.records import records
from toolbench.runner.tagged import plain, tagged

TYPES = {
    **dict.fromkeys(("tinyint", "bigint"), "int"),
    **dict.fromkeys(("varchar", "text"), "text"),
    "double": "float",
    "varbinary": "bytes",
}
# Texts of the server that are written otherwise than those of a driver's values: as these are.
WRITTEN: Mapping[str, Callable[[str], str]] = {
    "datetime": lambda text: text.replace(" ", "T"),
    "double": lambda text: repr(float(text)),
}
# Numbers of errors that end a connection.
GONE = {CR.CR_SERVER_GONE_ERROR, CR.CR_SERVER_LOST}
# The comment of the table: which version of the formula made it. Written when all is there.
VERSION = hashlib.sha256(Path(table.__file__).read_bytes()).hexdigest()
MARK = """
    SELECT table_comment FROM information_schema.tables
    WHERE table_schema = DATABASE() AND table_name = $1"""
CONNECT_SECONDS = 5
# A driver that keeps a transaction open must not stop the race.
SESSION = "SET lock_wait_timeout = 5, innodb_lock_wait_timeout = 5, max_statement_time = 20"
# Nor must a database that hangs, which ends no statement.
ANSWER_SECONDS = 30


class MysqlWitness:
    """See ``witness.Witness``."""

    types: Mapping[str, str] = TYPES

    def __init__(self, url: str) -> None:
        self._where: Address = find("mysql").address(url)
        self._connection: Any = None
        # What operations must give: nobody but this writes what they read.
        self._expected: dict[str, Texts] = {}

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
        if operation.name not in self._expected:
            made = operation.records
            asked: Sequence[Sequence[Any]] = (
                records(made.form, made.count) if made else [operation.args]
            )
            rows = [row for one in asked for row in self._texts(operation.sql, one)]
            self._expected[operation.name] = _written(operation.columns, rows)
        return self._expected[operation.name]

    def after(self, operation: Operation) -> Texts:
        """See ``Witness``."""
        return self._texts(operation.after)

    def close(self) -> None:
        """See ``Witness``."""
        connection, self._connection = self._connection, None
        if connection is not None and connection.open:
            connection.close()

    def _make_orders(self) -> None:
        """Write them where they are missing, or of another formula; look at some of them."""
        if self._texts(MARK, [table.TABLE]) == [[VERSION]]:
            return
        self._expected.clear()
        self._run(f"DROP TABLE IF EXISTS {table.TABLE}", table.CREATE, "START TRANSACTION")
        self._ask(table.INSERT, table.orders(), many=True)
        self._run("COMMIT", f"ANALYZE TABLE {table.TABLE}")
        texts = self._texts(table.SAMPLE)
        kept = Types(TYPES, {}).rows(table.COLUMNS, _written(table.COLUMNS, texts))
        right = [[tagged(value) for value in order] for order in table.sample()]
        if wrong := complaint("MariaDB, the orders", right, kept):
            raise CellFailed(wrong)
        self._run(f"ALTER TABLE {table.TABLE} COMMENT = '{VERSION}'")

    def _run(self, *statements: str) -> None:
        for statement in statements:
            self._ask(statement)

    def _texts(self, sql: str, arguments: Sequence[Any] = ()) -> Texts:
        """The rows of a query."""
        text, order = statement_for(sql)
        rows = self._ask(text, [plain(arguments[place]) for place in order] or None)
        return [[_text(value) for value in row] for row in rows]

    def _ask(self, text: str, arguments: Any = None, *, many: bool = False) -> Any:
        """A statement's rows, as the library has them; CellFailed when it fails."""
        old = self._connection is not None
        try:
            with self._open().cursor() as cursor:
                (cursor.executemany if many else cursor.execute)(text, arguments)
                return cursor.fetchall()
        except pymysql.MySQLError as error:
            self.close()
            if old and GONE.intersection(error.args[:1]):
                # The database may have been away meanwhile.
                return self._ask(text, arguments, many=many)
            line = " ".join(str(error.args[-1] if error.args else error).split())
            raise CellFailed(f"mysql: {line}") from None

    def _open(self) -> Any:
        """The connection, made anew where it was lost, in the database that drivers are given."""
        if self._connection is None:
            self._connection = pymysql.connect(
                **connect_options(self._where),
                connect_timeout=CONNECT_SECONDS,
                read_timeout=ANSWER_SECONDS,
                write_timeout=ANSWER_SECONDS,
                # Into SQL, and not back.
                conv=encoders,
            )
            with self._connection.cursor() as cursor:
                if self._where.name is None:
                    cursor.execute(f"CREATE DATABASE IF NOT EXISTS {DATABASE}")
                cursor.execute(SESSION)
            self._connection.select_db(self._where.name or DATABASE)
        return self._connection


def _written(columns: Sequence[tuple[str, str]], rows: Texts) -> Texts:
    """Rows with the texts of some columns as ``WRITTEN`` says."""
    writers = [(place, WRITTEN[kind]) for place, (_, kind) in enumerate(columns) if kind in WRITTEN]
    found = [list(row) for row in rows]
    for row in found:
        for place, write in writers:
            text = row[place]
            row[place] = None if text is None else write(text)
    return found


def _text(value: Any) -> str | None:
    """Bytes as hexadecimal digits."""
    return value.hex() if isinstance(value, bytes) else value
