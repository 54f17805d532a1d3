"""The interface of a kind of database: its URLs, a private server, and its wire protocol."""

from __future__ import annotations

from pathlib import Path
from typing import Callable, Iterator, NamedTuple, Optional, Tuple

from runtime.address import Address, Form, parse

Frame = Tuple[str, bytes]
"""The name of a request and its bytes; the name is "" for a greeting, a ping and the like."""

UPKEEP = "upkeep"
"""The name of a request that a driver sends for its connection, not for a page: it fetches the
schema, or its pool resets a connection."""

SYSTEM = "DATABASES_OF_SYSTEM"
"""If this environment variable is set, the system's PostgreSQL is used where the wheel is
missing."""


class DatabaseError(Exception):
    """A database cannot run here. The text is one line: what is wrong, and what to do."""


class Running(NamedTuple):
    """A started database: its URL, the id of its main process, and a function that ends it."""

    url: str
    pid: int
    stop: Callable[[], None]


class TcpEndpoint(NamedTuple):
    """A host and port on which a server listens, and its user's password, in plain letters."""

    host: str
    port: int
    password: str

    def __str__(self) -> str:
        """Return the endpoint as URLs have it, without the password."""
        return str(Address(None, self.host, self.port))


class Database(NamedTuple):
    """A kind of database. ``databases.DATABASES`` has one object for each.

    Its functions use the standard library only, and run on CPython 3.7.
    """

    # The name in the registry.
    name: str
    # The URL of a server that is not private: its environment variable, its schemes, its default
    # port, and an example.
    form: Form
    # Returns what is missing to start a private server, with the command that gets it, or None. It
    # is cheap: every list of engines asks, under any interpreter.
    missing: Callable[[], Optional[str]]
    # Returns the version of the program of a private server, such as "2.6.0", or None.
    version: Callable[[], Optional[str]]
    # Starts a private server on the data in a folder, with the same URL each time. It returns once
    # the server answers, and raises DatabaseError with one line if that takes longer than its
    # timeouts. The server must end with this process (``runtime.child``).
    start: Callable[[Path], Running]
    # Removes the complete messages of a client from a buffer and generates them. A request that the
    # driver sends for its connection, and not for a page, is named UPKEEP.
    requests: Callable[[bytearray], Iterator[Frame]]
    # The prefix of the environment variables from which the database's programs and drivers read
    # settings; "" if there are none.
    settings: str = ""
    # Starts an empty private server for programs in any language, at an endpoint; the URL has the
    # password, which is that of the first start. None if it cannot.
    start_on_tcp: Optional[Callable[[Path, TcpEndpoint], Running]] = None
    # The same with what the site needs, for servers on other machines.
    start_away: Optional[Callable[[Path, TcpEndpoint], Running]] = None
    # Whether it runs in the processes that use it. Then it has no server and no wire, and ``start``
    # returns its URL and starts nothing.
    embedded: bool = False

    @property
    def url_variable(self) -> str:
        """The environment variable that names a server to use instead of a private one."""
        return self.form.variable

    @property
    def default_port(self) -> int:
        """The port of a URL that names none."""
        return self.form.default_port

    def address(self, url: str) -> Address:
        """Return where a URL points. Raise AddressError with one line if it is malformed."""
        return parse(url, self.form)
