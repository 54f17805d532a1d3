"""A private database for servers on other machines: ``python -m databases.away NAME HOST FOLDER``.

It starts the database on a free port of the address HOST, with a password of its own, and writes a
line of JSON: ``url`` and ``pid``. The data is in a new folder in FOLDER, which it removes when the
database ends, or at SIGTERM. With NAME alone the line has what is ``missing`` here, and the
``version``. The program also travels to other machines (``race.web.hosts``).
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import signal
import sys
import time
from pathlib import Path
from typing import Any, List

from databases import copies, find, root_homes
from databases.database import SYSTEM, Database, DatabaseError, TcpEndpoint
from databases.folders import temporary_folder
from databases.process import last_line
from databases.supervisor import POLL_SECONDS, is_running
from runtime.listen import free_port


def main(arguments: List[str]) -> int:
    """Run the command; return 1, with one line on stderr, if the database does not run."""
    os.umask(0o022)  # the system user of root's databases reads some of the files
    os.environ[SYSTEM] = "1"
    kind = find(arguments[0])
    missing = kind.missing()
    if len(arguments) == 1:
        _say(missing=missing, version=None if missing else kind.version())
        return 0
    signal.signal(signal.SIGTERM, _stop)
    try:
        if missing is not None:
            raise DatabaseError(missing)
        _serve(kind, arguments[1], Path(arguments[2]).resolve())
    except (DatabaseError, OSError) as error:
        print(error, file=sys.stderr)
    return 1


def _serve(kind: Database, host: str, parent: Path) -> None:
    """Run the database until it ends, or this is ended."""
    with temporary_folder(parent) as own:
        folder = own / kind.name
        folder.mkdir()
        try:
            _run(kind, host, folder)
        except DatabaseError as error:
            raise DatabaseError(_explained(str(error), folder)) from None
        finally:
            copies.remove(folder)
            with contextlib.redirect_stdout(sys.stderr):  # the harness reads stdout
                root_homes.remove(own)


def _run(kind: Database, host: str, folder: Path) -> None:
    """Run the database in a folder. DatabaseError when it ends."""
    if kind.start_away is None:
        raise DatabaseError(f"{kind.name} has no server")
    where = TcpEndpoint(host, free_port(0, host), secrets.token_hex(16))
    running = kind.start_away(folder, where)
    try:
        _say(url=running.url, pid=running.pid)
        while is_running(running.pid):
            time.sleep(POLL_SECONDS)
    finally:
        running.stop()
    raise DatabaseError(f"{kind.name} died")


def _explained(error: str, folder: Path) -> str:
    """Return an error with the last line of the log in place of its path: it will be removed."""
    for log in folder.glob("*.log"):
        said = last_line(log)
        error = error.replace(f" (more in {log})", "").replace(f"see {log}", said)
        if said not in error:
            error += f": {said}"
    return error


def _say(**what: Any) -> None:
    print(json.dumps(what), flush=True)


def _stop(number: int, frame: Any) -> None:
    """Handle a signal: the first one ends this, later ones are ignored."""
    signal.signal(number, signal.SIG_IGN)
    sys.exit(0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
