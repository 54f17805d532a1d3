"""A private PostgreSQL for programs in any language: on TCP, where its user has a password."""

from __future__ import annotations

import contextlib
import subprocess
from pathlib import Path

from databases.account import account, home_of, identity
from databases.database import DatabaseError, Running, TcpEndpoint
from databases.postgres.programs import programs_for
from databases.postgres.server import initialise
from databases.postgres.server import start as start_server
from databases.process import environment_without
from databases.timeouts import TIMEOUTS

USER = NAME = "postgres"
# A file in the private folder: the user has its password.
MARK = "has-password"


def start(folder: Path, endpoint: TcpEndpoint) -> Running:
    """Start PostgreSQL on a folder's data at an endpoint. Raises DatabaseError with one line."""
    initialise(folder)
    if not (folder / MARK).exists():
        _set_password(folder, endpoint.password)
        (folder / MARK).touch()
    running = start_server(folder, endpoint)
    return running._replace(url=f"postgresql://{USER}:{endpoint.password}@{endpoint}/{NAME}")


def _set_password(folder: Path, password: str) -> None:
    """Run the server for one statement, without a client and before anybody can connect."""
    user = account()
    data, log = home_of(folder, user) / "data", folder / "postgres.log"
    command = [str(programs_for(user) / "postgres"), "--single", "-F", "-D", str(data), NAME]
    statement = f"ALTER ROLE {USER} PASSWORD '{password}'\n".encode()
    with log.open("ab") as output, contextlib.suppress(subprocess.TimeoutExpired):
        done = subprocess.run(
            command,
            cwd="/",
            env=environment_without("PG"),
            input=statement,
            stdout=output,
            stderr=output,
            timeout=TIMEOUTS.initialise,
            check=False,
            **identity(user),
        )
        if done.returncode == 0:
            return
    raise DatabaseError(f"PostgreSQL took no password: see {log}")
