"""The process that owns the databases of a race: `python -m race.app.database KIND FOLDER`.

It takes lines with tabs, and answers each with one: `start NAME [TEMPLATE]` with `ready PID URL` or
`failed WHY`, and `stop NAME` with `stopped`. A database whose template is given is as that one was
when it was stopped. It ends all and removes the folder when its input ends, which it does
with the harness however that ended. At SIGTERM it finishes what is under way and does the same.
"""

from __future__ import annotations

import os
import secrets
import signal
import sys
from contextlib import ExitStack
from pathlib import Path
from types import FrameType

from databases import copies, find
from databases.account import account, home_of
from databases.database import Database, DatabaseError, Running, TcpEndpoint
from databases.folders import temporary_folder
from databases.home import remove_socket_folder
from runtime.listen import free_port


class Databases:
    """The databases of one race, by name; all have the same password."""

    def __init__(self, kind: Database, place: Path) -> None:
        self._kind = kind
        self._place = place
        self._password = secrets.token_hex(16)
        self._running: dict[str, Running] = {}

    def answer(self, words: list[str]) -> str:
        """Do what a line says; return the line that says what came of it."""
        try:
            match words:
                case ["start", name]:
                    return self._start(name)
                case ["start", name, template]:
                    self.stop(name)
                    copies.remove(self._place / name)
                    copies.copy(self._place / template, self._place / name)
                    return self._start(name)
                case ["stop", name]:
                    self.stop(name)
                    return "stopped"
            return f"failed\tunknown: {' '.join(words)}"
        except (DatabaseError, OSError) as error:
            return f"failed\t{' '.join(str(error).split())}"

    def _start(self, name: str) -> str:
        if self._kind.start_on_tcp is None:
            raise DatabaseError(f"{self._kind.name} cannot be served to an application")
        folder = self._place / name
        folder.mkdir(mode=0o700, exist_ok=True)
        running = self._kind.start_on_tcp(
            folder, TcpEndpoint("127.0.0.1", free_port(), self._password)
        )
        self._running[name] = running
        return f"ready\t{running.pid}\t{running.url}"

    def stop(self, name: str) -> None:
        """End a database in order, if it runs."""
        running = self._running.pop(name, None)
        if running is not None:
            running.stop()
            remove_socket_folder(home_of(self._place / name, account()))

    def end(self) -> None:
        """End all, and remove what they kept."""
        with ExitStack() as stack:
            for name in [path.name for path in self._place.iterdir() if path.is_dir()]:
                stack.callback(copies.remove, self._place / name)
                stack.callback(self.stop, name)


def main(kind: str, folder: str) -> int:
    """Answer until the input ends."""
    os.umask(0o022)  # the system user of root's databases reads some of the files
    signal.signal(signal.SIGTERM, end_input)
    with temporary_folder(Path(folder)) as place:
        databases = Databases(find(kind), place)
        try:
            for line in sys.stdin:
                print(databases.answer(line.rstrip("\n").split("\t")), flush=True)
        finally:
            databases.end()
    return 0


def end_input(number: int, frame: FrameType | None) -> None:
    """End the input at a signal: an exception could come between a start and its note."""
    with open(os.devnull) as nothing:  # noqa: PTH123
        os.dup2(nothing.fileno(), 0)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
