"""A Python driver as the toolbench sees it: what a file of one has, and what it is given.

Runs on CPython 3.7 too: an older driver is measured on its own interpreter.
"""

from __future__ import annotations

from typing import Any, Callable, List, NamedTuple, Optional, Tuple

from typing_extensions import Protocol

Call = Callable[[], Any]
"""What one operation is: a driver's own calls and nothing of ours. It gives rows (a list or a
tuple, of sequences of values), or something else where the operation has none. Of a driver that
does not block it gives an awaitable of that.
"""


class Address(NamedTuple):
    """Where the database listens: on a Unix socket where there is a ``path``, else on host and
    port.

    For PostgreSQL the path is the folder of the socket, and the port is part of its name.
    """

    host: str
    port: int
    path: Optional[str] = None
    user: Optional[str] = None
    password: Optional[str] = None
    database: Optional[str] = None


class Options(NamedTuple):
    """What a race varies; a driver that has no such choice does not look."""

    prepared: bool = True
    loop: str = "asyncio"
    format: str = "text"


class Operation(NamedTuple):
    """One operation, as ``toolbench/<database>/operations/<name>.toml`` says it; its ``args`` and
    ``records`` are Python values here, ``columns`` pairs (name, the database's type).
    """

    name: str
    kind: str
    sql: str = ""
    args: Tuple[Any, ...] = ()
    columns: Tuple[Tuple[str, str], ...] = ()
    table: str = ""
    records: Tuple[Tuple[Any, ...], ...] = ()

    @property
    def column_names(self) -> List[str]:
        """Without their types."""
        return [name for name, _ in self.columns]


class Unsupported(Exception):
    """The driver has nothing for operations of this kind. The registry says so too (``cannot``),
    with the reason, so that nobody plans them.
    """


class Driver(Protocol):
    """One driver. What is inside of the calls is what a competent user of it writes.

    The methods are coroutines unless the driver is ``BLOCKING``: then they are plain functions, and
    each connection is used by a thread of its own.
    """

    BLOCKING: bool
    # One connection carries the operations of all workers at a time.
    SHARED: bool

    def connect(self) -> Any:
        """A new connection that keeps no transaction open (autocommit)."""
        ...

    def close(self, connection: Any) -> Any:
        """End it."""
        ...

    def bind(self, connection: Any, operation: Operation) -> Any:
        """The ``Call`` of an operation, with all looked up that a user would look up once.

        ``Unsupported`` with the operation's kind where the driver has nothing for it.
        """
        ...


class Rests(Driver, Protocol):
    """A ``Driver`` whose calls need more than their connection, such as a pool of its own."""

    def rest(self) -> Any:
        """End that: who is at rest has one connection. What was bound before is not called again,
        but bound anew. It does not wait for long.
        """
        ...
