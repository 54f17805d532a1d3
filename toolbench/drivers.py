"""Drivers by name: what each one is, what it can vary, what it cannot do.

The harness reads this registry, and so does each runner, on the driver's own interpreter (CPython
3.7, too): it imports only the driver that it is asked for.
"""

from __future__ import annotations

from runtime.plugin import Plugin
from toolbench.tool import (
    ARTICLE,
    FORMAT,
    LOOP,
    PLAIN,
    PREPARED,
    PROGRAM,
    STATEMENTS,
    UNPREPARED,
    WRK,
    ForeignTool,
    Levels,
    Mapper,
    Tool,
)

ASYNC: Levels = {LOOP: ("asyncio", "uvloop")}
BLOCKING: Levels = {LOOP: ("threads",)}
GOROUTINES: Levels = {LOOP: ("goroutines",)}
LIBUV: Levels = {LOOP: ("libuv",)}
PREPARES: Levels = {STATEMENTS: (PREPARED, UNPREPARED)}
NEVER_PREPARES: Levels = {STATEMENTS: (UNPREPARED,)}
MAY_PREPARE: Levels = {STATEMENTS: (UNPREPARED, PREPARED)}
PROGRAMS: Levels = {PROGRAM: (PLAIN, ARTICLE)}
TEXT: Levels = {FORMAT: ("text",)}
BINARY: Levels = {FORMAT: ("binary",)}
EITHER: Levels = {FORMAT: ("text", "binary")}

BLOCKS = {
    **dict.fromkeys(("pool", "burst"), "it has no pool of its own"),
    "connects": "its calls block, so one query at a time is under way",
}
NOT_IN_AIOPG = {"copy": "psycopg2's asynchronous connections have no COPY"}

# JavaScript's numbers cannot hold all values of these types.
IN_NODE = {"int8": "text", "numeric": "text"}

# psycopg knows these by their texts alone; "undecoded" is `check.UNDECODED`.
BINARY_IN_PSYCOPG = {"regproc": "undecoded", "pg_node_tree": "bytes"}

READS = "the format is that of the rows that it reads; it sends a COPY as text"

SQLALCHEMY = ("sqlalchemy", "greenlet", "asyncpg")

DRIVERS = {
    "asyncpg": Tool(
        "toolbench.postgres.asyncpg_driver:Asyncpg",
        needs=("asyncpg",),
        levels={**ASYNC, **PREPARES, **BINARY},
        gives={"char": "bytes"},
        text="PostgreSQL's binary protocol, in Cython",
    ),
    "psycopg": Tool(
        "toolbench.postgres.psycopg_driver:Psycopg",
        needs=("psycopg",),
        levels={**ASYNC, **PREPARES, **EITHER},
        gives_binary=BINARY_IN_PSYCOPG,
        text="psycopg 3 (psycopg-binary), its asynchronous connections: libpq, and C of its own; "
        f"{READS}",
    ),
    "psycopg-sync": Tool(
        "toolbench.postgres.psycopg_sync_driver:PsycopgSync",
        needs=("psycopg",),
        levels={**BLOCKING, **PREPARES, **EITHER},
        gives_binary=BINARY_IN_PSYCOPG,
        text=f"psycopg 3 (psycopg-binary), its blocking connections; {READS}",
    ),
    "psycopg2": Tool(
        "toolbench.postgres.psycopg2_driver:Psycopg2",
        needs=("psycopg2",),
        levels={**BLOCKING, **NEVER_PREPARES, **TEXT},
        gives={"bytea": "memoryview"},
        text="psycopg2-binary: libpq, in C; it prepares no statements",
    ),
    "aiopg": Tool(
        "toolbench.postgres.aiopg_driver:Aiopg",
        needs=("aiopg", "psycopg2"),
        levels={**ASYNC, **NEVER_PREPARES, **TEXT},
        cannot=NOT_IN_AIOPG,
        gives={"bytea": "memoryview"},
        text="psycopg2 under asyncio, with rows as tuples",
    ),
    "aiopg-dict": Tool(
        "toolbench.postgres.aiopg_driver:AiopgDict",
        needs=("aiopg", "psycopg2"),
        levels={**ASYNC, **NEVER_PREPARES, **TEXT},
        cannot=NOT_IN_AIOPG,
        gives={"bytea": "memoryview"},
        text="aiopg with psycopg2's DictCursor: rows have names, as those of other drivers",
    ),
    "pgx": ForeignTool(
        "golang",
        levels={**GOROUTINES, **PREPARES, FORMAT: ("binary", "text")},
        gives={"char": "rune"},
        text="pgx, in Go, through its own interface; rows are structs in a slice",
    ),
    "pq": ForeignTool(
        "golang",
        levels={**GOROUTINES, **PREPARES, **TEXT},
        text="lib/pq, in Go, under database/sql; rows are structs in a slice",
    ),
    "node-pg": ForeignTool(
        "nodejs",
        needs=("pg", "pg-copy-streams"),
        levels={**LIBUV, **PREPARES, **TEXT},
        gives=IN_NODE,
        text="pg (node-postgres), in JavaScript; COPY by pg-copy-streams",
    ),
    "node-pg-native": ForeignTool(
        "nodejs",
        needs=("pg-native",),
        levels={**LIBUV, **PREPARES, **TEXT},
        cannot={"copy": "pg-native documents no COPY"},
        gives=IN_NODE,
        text="pg-native: libpq under Node",
    ),
    "node-postgres": ForeignTool(
        "nodejs",
        needs=("postgres",),
        levels={**LIBUV, **PREPARES, **TEXT},
        gives=IN_NODE,
        text="postgres (Postgres.js), in JavaScript",
    ),
    "sqlalchemy-sync": Mapper(
        "toolbench.sqlalchemy.strategies:SyncStrategy",
        needs=("sqlalchemy", "psycopg2"),
        levels={**BLOCKING, **PROGRAMS},
        text="SQLAlchemy's sessions on psycopg2 (psycopg2-binary), one operation after the other",
    ),
    "sqlalchemy-tasks": Mapper(
        "toolbench.sqlalchemy.strategies:tasks",
        needs=SQLALCHEMY,
        levels={**ASYNC, **PROGRAMS},
        text="SQLAlchemy's asyncio sessions on asyncpg, a task for each operation, and a pool as "
        "large as the database allows",
    ),
    "sqlalchemy-chunks": Mapper(
        "toolbench.sqlalchemy.strategies:chunks",
        needs=SQLALCHEMY,
        levels={**ASYNC, **PROGRAMS},
        text="the same in chunks of as many operations as there are at a time: all of a chunk are "
        "waited for",
    ),
    "sqlalchemy-bounded": Mapper(
        "toolbench.sqlalchemy.strategies:bounded",
        needs=SQLALCHEMY,
        levels={**ASYNC, PROGRAM: (PLAIN,)},
        text="the same with as many operations at a time, by a semaphore, and a pool of that many "
        "connections",
    ),
    "asynctnt": Tool(
        "toolbench.tarantool.asynctnt_driver:Asynctnt",
        needs=("asynctnt",),
        database="tarantool",
        levels=ASYNC,
        text="asynctnt: Tarantool's protocol, in Cython, one connection for all",
    ),
    "aiotarantool": Tool(
        "toolbench.tarantool.aiotarantool_driver:Aiotarantool",
        needs=("aiotarantool",),
        python="3.7",
        database="tarantool",
        levels=ASYNC,
        text="aiotarantool: an old official connector under asyncio, one connection for all",
    ),
    "tarantool": Tool(
        "toolbench.tarantool.tarantool_driver:TarantoolConnector",
        # The project has a folder `tarantool` of its own, but no such module.
        needs=("tarantool.connection",),
        database="tarantool",
        levels=BLOCKING,
        text="tarantool: the official connector, in Python",
    ),
    "asyncmy": Tool(
        "toolbench.mysql.asyncmy_driver:Asyncmy",
        needs=("asyncmy",),
        database="mysql",
        levels={**ASYNC, **MAY_PREPARE, **TEXT},
        text="asyncmy: MySQL's protocol, in Cython; rows of prepared statements are binary",
    ),
    "aiomysql": Tool(
        "toolbench.mysql.aiomysql_driver:Aiomysql",
        needs=("aiomysql",),
        database="mysql",
        levels={**ASYNC, **NEVER_PREPARES, **TEXT},
        text="aiomysql: PyMySQL under asyncio",
    ),
    "pymysql": Tool(
        "toolbench.mysql.pymysql_driver:PyMySQL",
        needs=("pymysql",),
        database="mysql",
        levels={**BLOCKING, **NEVER_PREPARES, **TEXT},
        cannot=BLOCKS,
        text="PyMySQL: MySQL's protocol, in Python, with TLS off, which it would prefer",
    ),
    "mysqlclient": Tool(
        "toolbench.mysql.mysqlclient_driver:Mysqlclient",
        needs=("MySQLdb",),
        database="mysql",
        levels={**BLOCKING, **NEVER_PREPARES, **TEXT},
        cannot=BLOCKS,
        text="mysqlclient: MariaDB's client library, in C",
    ),
    **{
        name: Tool(
            "toolbench.limits.serve:main",
            python="3.7",
            database="tarantool",
            levels={LOOP: (loop,)},
            called=f"limits-{driver}",
            text=f"{driver} behind a page of japronto, and beside it the blocking connector, which "
            "reads for select-sync",
            subject=Plugin("toolbench.limits.subject:start"),
            generator=WRK,
            options=("--driver", driver),
        )
        for name, driver, loop in (
            ("limits-asyncio", "asynctnt", "asyncio"),
            ("limits-uvloop", "asynctnt", "uvloop"),
            ("limits-aiotarantool", "aiotarantool", "uvloop"),
        )
    },
}
