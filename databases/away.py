"""A private database for servers on other machines: ``python -m databases.away NAME [HOST]``.

It starts the database in the current folder, on a free port of the address HOST, with a password of
its own, and writes a line of JSON: ``url`` and ``pid``. At SIGTERM, and when the database ends, it
removes all that it made. It travels to the machine (``race.web.hosts``) with this package and
``runtime``. Without HOST the line has what is ``missing`` there, and the ``version``.
"""

from __future__ import annotations

import json
import os
import secrets
import signal
import sys
import time
from pathlib import Path
from typing import Any, List

from databases import copies, find, root_homes
from databases.database import Database, DatabaseError, Place, Running
from databases.supervisor import POLL_SECONDS, is_running
from runtime.listen import free_port


def main(arguments: List[str]) -> int:
    """Run the command; return 1, with one line on stderr, if the database does not run."""
    os.umask(0o022)  # the system user of root's databases reads some of the files
    kind = find(arguments[0])
    missing = kind.missing()
    if len(arguments) == 1:
        _say(missing=missing, version=None if missing else kind.version())
        return 0
    signal.signal(signal.SIGTERM, _stop)
    folder = Path("data", kind.name).resolve()
    try:
        if missing is not None:
            raise DatabaseError(missing)
        folder.mkdir(parents=True)
        _serve(kind, folder, arguments[1])
    except (DatabaseError, OSError) as error:
        print(error, file=sys.stderr)
    finally:
        copies.remove(folder)
        root_homes.remove(folder.parent)
    return 1


def _serve(kind: Database, folder: Path, host: str) -> None:
    """Run the database until it ends, or this is ended."""
    if kind.start_away is None:
        raise DatabaseError(f"{kind.name} has no server")
    running: Running = kind.start_away(
        folder, Place(host, free_port(0, host), secrets.token_hex(16))
    )
    try:
        _say(url=running.url, pid=running.pid)
        while is_running(running.pid):
            time.sleep(POLL_SECONDS)
    finally:
        running.stop()
    raise DatabaseError(f"{kind.name} died")


def _say(**what: Any) -> None:
    print(json.dumps(what), flush=True)


def _stop(number: int, frame: Any) -> None:
    """Handle a signal: the first one ends this, later ones are ignored."""
    signal.signal(number, signal.SIG_IGN)
    sys.exit(0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
