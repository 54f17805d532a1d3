"""The contract of Python's database drivers, as the toolbench calls them.

Runs on CPython 3.7, too: an older driver is measured on its own interpreter.
"""

from __future__ import annotations

from typing import Any, Callable, List, NamedTuple, Optional, Tuple

from typing_extensions import Protocol

from data_interface.sql.placeholders import statement_for

Call = Callable[[], Any]
"""One operation: the driver's own calls and nothing of ours.

It returns its rows (a list or tuple of sequences of values), or anything else if the operation has
no rows. The call of an asynchronous driver returns an awaitable of that.
"""


class Options(NamedTuple):
    """The levels of factors that a race may vary; a driver ignores those that it does not have."""

    prepared: bool = True
    loop: str = "asyncio"
    format: str = "text"
    program: str = "plain"


class Operation(NamedTuple):
    """One operation of ``toolbench/<database>/operations/``.

    ``args`` and ``records`` are Python values, ``columns`` pairs of a name and a database type,
    ``pool`` the least and the most connections of the driver's own pool.
    """

    name: str
    kind: str
    sql: str = ""
    args: Tuple[Any, ...] = ()
    columns: Tuple[Tuple[str, str], ...] = ()
    table: str = ""
    records: Tuple[Tuple[Any, ...], ...] = ()
    pool: Tuple[int, int] = (1, 1)

    @property
    def column_names(self) -> List[str]:
        """The names of the columns, without their types."""
        return [name for name, _ in self.columns]


class Unsupported(Exception):
    """The driver has no call for this kind of operation.

    The registry must say so as well (``cannot``), so that no race plans such an operation.
    """


class MeasuredDriver(Protocol):
    """One driver. Its calls are what a competent user of the driver writes.

    The methods are coroutines, except those of a ``BLOCKING`` driver: they are plain functions, and
    each of its connections is used by one thread.
    """

    BLOCKING: bool
    # True: one connection carries the operations of all workers.
    SHARED: bool

    def connect(self) -> Any:
        """Return a new connection that keeps no transaction open (autocommit)."""
        ...

    def close(self, connection: Any) -> Any:
        """Close a connection."""
        ...

    def bind(self, connection: Any, operation: Operation) -> Any:
        """Return the ``Call`` of an operation, after everything that a user would do only once.

        Raises ``Unsupported`` with the operation's kind if the driver has no call for it.
        """
        ...


class PooledDriver(MeasuredDriver, Protocol):
    """A ``MeasuredDriver`` whose calls need a pool of the driver's own beside their connection."""

    def close_pool(self) -> Any:
        """Close the pool soon. Calls that were bound before are not called again."""
        ...


def call_of(operation: Operation, **calls: Call) -> Call:
    """Return the call for the operation's kind; a query without columns is ``execute``."""
    kind = operation.kind
    if kind not in calls:
        raise Unsupported(kind)
    return calls["execute" if kind == "query" and not operation.columns else kind]


def percent(operation: Operation) -> Tuple[str, Optional[List[Any]]]:
    """Return the statement and its arguments for a driver that writes %s instead of $1.

    The arguments are None if there are none: the statement takes none, or takes those of records.
    """
    text, order = statement_for(operation.sql)
    return text, [operation.args[place] for place in order] if operation.args else None
