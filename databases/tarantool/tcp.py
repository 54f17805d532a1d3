"""A private, empty Tarantool for programs in any language: on TCP, with a password."""

from __future__ import annotations

from pathlib import Path

from databases.account import account, home_of, identity, make_folder
from databases.database import Running, TcpEndpoint
from databases.process import ServerProcess, environment_without, spawn

USER = "app"
# It listens once the user is there, who may do everything.
PROGRAM = """\
box.cfg{work_dir = os.getenv('TARANTOOL_DIR'), wal_mode = 'write', log_level = 4}
box.schema.user.create('app', {password = os.getenv('TARANTOOL_PASSWORD'), if_not_exists = true})
box.schema.user.grant('app', 'super', nil, nil, {if_not_exists = true})
box.cfg{listen = os.getenv('TARANTOOL_LISTEN')}
"""


def start(folder: Path, endpoint: TcpEndpoint) -> Running:
    """Start Tarantool on a folder's data at an endpoint. Raises DatabaseError with one line."""
    user = account()
    home = home_of(folder, user)
    data, log, program = home / "data", folder / "tarantool.log", home / "first.lua"
    make_folder(data, user)
    program.write_text(PROGRAM)
    program.chmod(0o644)
    environment = environment_without("TARANTOOL_", "TT_")
    environment["TARANTOOL_DIR"] = str(data)
    environment["TARANTOOL_LISTEN"] = str(endpoint)
    environment["TARANTOOL_PASSWORD"] = endpoint.password
    with log.open("wb") as output:
        process = spawn(["tarantool", str(program)], data, environment, output, **identity(user))
    server = ServerProcess("Tarantool", process, endpoint, log)
    server.wait(lambda said: said.startswith(b"Tarantool"))
    return Running(f"tarantool://{USER}:{endpoint.password}@{endpoint}", process.pid, server.end)
