"""The data side of the site: one interface, one module for each driver.

``BACKENDS`` is the registry: a new backend is one module and one line here. Each target is a
function ``(connection: str, url: str, size: int) -> store.Store``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional, Tuple

from runtime.plugin import Plugin

ALL = ("one", "pool", "gate", "multi", "query")
# A driver without a pool of its own uses ours in the mode ``pool``, so it needs no ``gate``.
WITHOUT_OWN_POOL = ("one", "pool", "multi", "query")
# Where the requests of a page go together, a connection for each would be one for the page.
TOGETHER = ("one", "pool", "gate", "multi")
TOGETHER_WITHOUT_OWN_POOL = ("one", "pool", "multi")

# Where pages run that use a backend: tasks of an event loop, or threads without one.
LOOP = "an event loop"
THREADS = "threads"

# The name of connections that do not serve pages; it is in the first message of each.
HOUSEKEEPING = "sticker-site-housekeeping"


@dataclass(frozen=True)
class Backend(Plugin):
    """A driver and the layout in its database.

    ``database`` is a name in ``databases.DATABASES``, or None; ``connections`` are the connection
    modes that make sense. ``note`` says how the driver differs from the one that its users run.
    ``layout`` tells apart the backends of a database that do not see each other's rows. With
    ``whole_pages`` Index, Good and Bad are one request each, instead of the article's. In THREADS,
    one of ``runs_in``, no call of the store may suspend.
    """

    database: Optional[str] = None
    connections: Tuple[str, ...] = ALL
    note: str = ""
    layout: str = ""
    whole_pages: bool = False
    runs_in: Tuple[str, ...] = (LOOP,)


BACKENDS = {
    "memory": Backend(
        "data_interface.memory_store:open_store", connections=("one",), runs_in=(LOOP, THREADS)
    ),
    "tarantool": Backend(
        "data_interface.tarantool.asynctnt_store:open_store",
        needs=("asynctnt",),
        database="tarantool",
        connections=WITHOUT_OWN_POOL,
    ),
    "aiotarantool": Backend(
        "data_interface.tarantool.aiotarantool_store:open_store",
        needs=("aiotarantool", "tarantool"),
        python="3.7",
        database="tarantool",
        connections=WITHOUT_OWN_POOL,
        note="aiotarantool connects and closes by code of this project",
    ),
    "tarantoolproc": Backend(
        "data_interface.tarantool.procedure_store:open_store",
        needs=("asynctnt",),
        database="tarantool",
        connections=TOGETHER_WITHOUT_OWN_POOL,
        whole_pages=True,
    ),
    "postgres": Backend(
        "data_interface.postgres.asyncpg_store:open_store",
        needs=("asyncpg",),
        database="postgres",
    ),
    "psycopg": Backend(
        "data_interface.postgres.psycopg_store:open_store",
        needs=("psycopg", "psycopg_pool"),
        database="postgres",
    ),
    "psycopgsync": Backend(
        "data_interface.postgres.psycopg_sync_store:open_store",
        needs=("psycopg", "psycopg_pool"),
        python="3.10+",
        database="postgres",
        connections=("pool", "multi", "query"),
        runs_in=(THREADS,),
    ),
    "psycopgpipeline": Backend(
        "data_interface.postgres.pipeline_store:open_store",
        needs=("psycopg", "psycopg_pool"),
        database="postgres",
        connections=TOGETHER,
    ),
    "postgresfunc": Backend(
        "data_interface.postgres.function_store:open_store",
        needs=("asyncpg",),
        database="postgres",
        connections=TOGETHER,
        whole_pages=True,
    ),
    "sqlalchemy": Backend(
        "data_interface.postgres.sqlalchemy_store:open_store",
        needs=("sqlalchemy", "greenlet", "asyncpg"),
        python="3.10+",
        database="postgres",
    ),
    "postgresjson": Backend(
        "data_interface.postgres.jsonb:open_store",
        needs=("asyncpg",),
        database="postgres",
        layout="jsonb",
    ),
    "valkey": Backend(
        "data_interface.valkey.valkey_store:open_store",
        needs=("valkey",),
        python="3.10+",
        database="valkey",
        connections=WITHOUT_OWN_POOL,
    ),
    "sqlite": Backend(
        "data_interface.sqlite.aiosqlite_store:open_store",
        needs=("aiosqlite",),
        python="3.10+",
        database="sqlite",
        connections=TOGETHER_WITHOUT_OWN_POOL,
    ),
    "asyncmy": Backend(
        "data_interface.mysql.asyncmy_store:open_store",
        needs=("asyncmy",),
        python="3.9+",
        database="mysql",
    ),
    "aiomysql": Backend(
        "data_interface.mysql.aiomysql_store:open_store",
        needs=("aiomysql",),
        database="mysql",
    ),
}
