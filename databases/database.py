"""What a database is for those who start it, ask where it listens, or count what it is asked."""

from __future__ import annotations

from pathlib import Path
from typing import Callable, Iterator, NamedTuple, Optional, Tuple

from runtime.address import Address, Form, parse

Frame = Tuple[str, bytes]
"""The name of a request, "" for what asks for nothing (a greeting, a ping), and its bytes."""

UPKEEP = "upkeep"
"""The name of a request that a driver makes for its connection and no page asks for: it fetches the
schema, or its pool resets what is given back."""


class DatabaseError(Exception):
    """A database cannot run here. One line: what is wrong and what to do."""


class Running(NamedTuple):
    """A started database: its URL, the id of its main process, and how to end it (bounded)."""

    url: str
    pid: int
    stop: Callable[[], None]


class Database:
    """A kind of database: how its URLs look, how a private one is started, how its wire is read.

    One object for each entry of ``databases.DATABASES``. Standard library only, CPython 3.7.
    """

    # Its name in the registry.
    name: str
    # The environment variable with the URL of a server that is not a private one, the schemes of
    # such a URL, its port where it names none, and an example for the user.
    form: Form
    # With what the names of those variables begin from which its programs and drivers take settings
    # of their own; "" where they take none.
    settings = ""

    @property
    def url_variable(self) -> str:
        """The environment variable that names another server than the private one."""
        return self.form.variable

    @property
    def default_port(self) -> int:
        """Where it listens when its URL names no port."""
        return self.form.default_port

    def address(self, url: str) -> Address:
        """Where a URL points; AddressError with one line when it is no URL of this database."""
        return parse(url, self.form)

    def missing(self) -> Optional[str]:
        """None when a private one can be started here; else one line: what is missing, and the
        command that gets it. Cheap: asked for every list of engines, by any interpreter."""
        raise NotImplementedError

    def version(self) -> Optional[str]:
        """Of the program that a private one runs, such as "2.6.0"; None when it is missing."""
        raise NotImplementedError

    def start(self, home: Path) -> Running:
        """Start a private one on the data in ``home``: the same folder, the same URL each time.

        Returns once it answers. DatabaseError with one line, within ``private.START_SECONDS``; a
        recovery after a crash may take longer.
        The process must die with the one that started it (``runtime.child``).
        """
        raise NotImplementedError

    def requests(self, buffer: bytearray) -> Iterator[Frame]:
        """Whole messages of a client, taken out of the buffer; what is cut off stays in it.

        What a driver asks about its connection, and no page, is named UPKEEP.
        """
        raise NotImplementedError
