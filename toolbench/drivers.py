"""Drivers by name: what each is, what it can vary, what it cannot do.

One line each. Read by the harness and, on a driver's own interpreter (CPython 3.7 too), by its
runner, which imports the one driver that it is asked for.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, List, Mapping, NamedTuple, Optional, Tuple

from databases import find
from runtime.interpreters import Probe, executable
from runtime.paths import ROOT
from runtime.plugin import Plugin

Levels = Mapping[str, Tuple[str, ...]]
"""Factor to the levels that a driver has, its plainest first."""

LOOP, STATEMENTS, TRANSPORT, FORMAT = "loop", "statements", "transport", "format"
WORKLOAD = "workload"
"""The kind of an operation that is all that a program does."""
PREPARED, UNPREPARED = "prepared", "unprepared"
RUNNER, WRK = GENERATORS = ("runner", "wrk")
"""What drives a contender: its own process, one operation after another; wrk where it has pages."""

FACTORS: Levels = {
    TRANSPORT: ("unix", "tcp"),
    STATEMENTS: (PREPARED, UNPREPARED),
    FORMAT: ("text", "binary"),
    LOOP: ("asyncio", "uvloop", "threads", "goroutines", "libuv"),
}
"""All levels, the plainest first; in the order in which a label says them."""


IN_A_RUNNER = Plugin("toolbench.subject:start")
ITS_WORKLOAD = Plugin("toolbench.sqlalchemy.subject:start")


@dataclass(frozen=True)
class Tool(Plugin):
    """A Python driver: ``target`` is its class (``driver.Driver``), ``needs`` are its modules.

    ``levels`` are those that it has of each factor but the transport, which is the server's.
    ``cannot`` has the reason for each kind of operation that it has nothing for; ``gives`` the tag
    that its users get, by design, for a type of the database, where that is not the natural one.
    ``text`` is what a report says of it, ``called`` its level of the factor ``driver`` where that
    is not its name. ``subject`` starts it as a contender that a ``generator`` drives, its program
    with ``options``.
    """

    database: str = ""
    levels: Levels = field(default_factory=dict)
    cannot: Mapping[str, str] = field(default_factory=dict)
    gives: Mapping[str, str] = field(default_factory=dict)
    text: str = ""
    called: str = ""
    subject: Plugin = IN_A_RUNNER
    generator: str = RUNNER
    options: Tuple[str, ...] = ()

    def command(self) -> List[str]:
        """What starts its runner."""
        python = executable(self.python) if self.python else sys.executable
        return [str(python), "-m", "toolbench.runner"]

    def lacks(self, kind: str) -> Optional[str]:
        """Why it has nothing for operations of a kind; None where it has."""
        return "it maps no objects" if kind == WORKLOAD else self.cannot.get(kind)

    def lacking(self) -> Optional[str]:
        """What of it is not installed, and the command that installs it."""
        if self.python and not executable(self.python).exists():
            return f"no environment for CPython {self.python}: make env"
        missing = _missing(self.python, self.needs)
        return f"not installed ({', '.join(missing)}): make env" if missing else None

    def problem(self) -> Optional[str]:
        """Why it cannot run here, and what to do."""
        database = find(self.database)
        served = bool(os.environ.get(database.url_variable))
        return self.lacking() or (None if served else database.missing())


@dataclass(frozen=True)
class Mapper(Tool):
    """An object-relational mapper, which does a whole workload and nothing else."""

    subject: Plugin = ITS_WORKLOAD

    def command(self) -> List[str]:
        """See ``Tool``."""
        return [*super().command()[:-1], "toolbench.sqlalchemy"]

    def lacks(self, kind: str) -> Optional[str]:
        """See ``Tool``."""
        return None if kind == WORKLOAD else "it is measured by its workload alone"


class Language(NamedTuple):
    """Of drivers that are not Python's: the program that runs or builds them, their folder, and in
    it what is there once they were built, and the script that the program runs, unless that is a
    program itself.

    ``oldest`` is the release of the program that it takes at least. ``sources``, patterns, are what
    a compiled runner was built from.
    """

    program: str
    folder: Path
    built_as: str
    script: str = ""
    oldest: int = 0
    sources: Tuple[str, ...] = ()

    @property
    def built(self) -> Path:
        """What is there once it was built."""
        return self.folder / self.built_as

    @property
    def words(self) -> List[str]:
        """What starts its runner."""
        return [self.program, str(self.folder / self.script)] if self.script else [str(self.built)]

    def problem(self) -> Optional[str]:
        """Why it runs nothing here, and what to do."""
        if shutil.which(self.program) is None:
            return f"not installed ({self.program}): make system"
        if self.oldest and _release(self.program) < self.oldest:
            return f"{self.program} is older than {self.oldest}"
        if not self.built.exists():
            return f"not installed (its runner in {self.folder.name}): make drivers"
        return None

    def told(self) -> Mapping[str, Any]:
        """What a compiled runner says of itself: the digest of its ``sources``, the version of the
        language, by the name of the program, and those of its ``drivers``; empty where it says
        nothing.
        """
        if not self.built.exists():
            return {}
        try:
            return dict(json.loads(_printed(str(self.built), "-built")))
        except ValueError:
            return {}

    def digest(self) -> str:
        """Of the sources as they are now; ``scripts/drivers.sh`` makes the same."""
        files = [path for pattern in self.sources for path in sorted(self.folder.glob(pattern))]
        return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()


ASK_SECONDS = 15.0
FOLDER = ROOT / "toolbench"
LANGUAGES = {
    "golang": Language("go", FOLDER / "golang", "bin/runner", sources=("*.go", "go.mod", "go.sum")),
    "nodejs": Language("node", FOLDER / "nodejs", "node_modules", script="runner.js", oldest=18),
}


@dataclass(frozen=True)
class Program(Tool):
    """A driver of another language; ``target`` is a name in ``LANGUAGES``, ``needs`` are packages
    in its folder ``built``.
    """

    def command(self) -> List[str]:
        """See ``Tool``."""
        return LANGUAGES[self.target].words

    def lacking(self) -> Optional[str]:
        """See ``Tool``."""
        language = LANGUAGES[self.target]
        problem = language.problem()
        if problem:
            return problem
        missing = [name for name in self.needs if not (language.built / name).exists()]
        if missing:
            return f"not installed ({', '.join(missing)}): make drivers"
        if language.sources and language.told().get("sources") != language.digest():
            return "built from other versions: make drivers"
        return None


def _release(program: str) -> int:
    """The first number of a program's version; 0 where it does not say one."""
    found = re.search(r"\d+", _printed(shutil.which(program) or program, "--version"))
    return int(found.group()) if found else 0


@lru_cache(maxsize=None)
def _printed(*command: str) -> str:
    """What a program prints; nothing where it fails."""
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=ASK_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.decode(errors="replace")


@lru_cache(maxsize=None)
def _missing(version: str, modules: Tuple[str, ...]) -> Tuple[str, ...]:
    """Modules that an interpreter cannot import; "" is this one."""
    if version:
        return tuple(Probe(executable(version), modules).lacks(modules))
    return tuple(name for name in modules if importlib.util.find_spec(name) is None)


ASYNC: Levels = {LOOP: ("asyncio", "uvloop")}
BLOCKING: Levels = {LOOP: ("threads",)}
GOROUTINES: Levels = {LOOP: ("goroutines",)}
LIBUV: Levels = {LOOP: ("libuv",)}
PREPARES: Levels = {STATEMENTS: (PREPARED, UNPREPARED)}
NEVER_PREPARES: Levels = {STATEMENTS: (UNPREPARED,)}
MAY_PREPARE: Levels = {STATEMENTS: (UNPREPARED, PREPARED)}
TEXT: Levels = {FORMAT: ("text",)}
BINARY: Levels = {FORMAT: ("binary",)}
EITHER: Levels = {FORMAT: ("text", "binary")}

NO_POOL = dict.fromkeys(("pool", "burst"), "it has no pool of its own")
# aiopg stands on them.
NOT_IN_AIOPG = {"copy": "psycopg2's asynchronous connections have no COPY"}

# JavaScript's numbers do not hold them.
IN_NODE = {"int8": "text", "numeric": "text"}

READS = "its format is that of rows that it reads, a COPY it sends as text"

SQLALCHEMY = ("sqlalchemy", "greenlet", "asyncpg")

DRIVERS = {
    "asyncpg": Tool(
        "toolbench.postgres.asyncpg_driver:Asyncpg",
        needs=("asyncpg",),
        database="postgres",
        levels={**ASYNC, **PREPARES, **BINARY},
        gives={"char": "bytes"},
        text="PostgreSQL's binary protocol, in Cython",
    ),
    "psycopg": Tool(
        "toolbench.postgres.psycopg_driver:Psycopg",
        needs=("psycopg",),
        database="postgres",
        levels={**ASYNC, **PREPARES, **EITHER},
        text="psycopg 3 (psycopg-binary), its asynchronous connections: libpq, and C of its own; "
        f"{READS}",
    ),
    "psycopg-sync": Tool(
        "toolbench.postgres.psycopg_sync_driver:PsycopgSync",
        needs=("psycopg",),
        database="postgres",
        levels={**BLOCKING, **PREPARES, **EITHER},
        text=f"psycopg 3 (psycopg-binary), its blocking connections; {READS}",
    ),
    "psycopg2": Tool(
        "toolbench.postgres.psycopg2_driver:Psycopg2",
        needs=("psycopg2",),
        database="postgres",
        levels={**BLOCKING, **NEVER_PREPARES, **TEXT},
        gives={"bytea": "memoryview"},
        text="psycopg2-binary: libpq, in C; it prepares no statements",
    ),
    "aiopg": Tool(
        "toolbench.postgres.aiopg_driver:Aiopg",
        needs=("aiopg", "psycopg2"),
        database="postgres",
        levels={**ASYNC, **NEVER_PREPARES, **TEXT},
        cannot=NOT_IN_AIOPG,
        gives={"bytea": "memoryview"},
        text="psycopg2 under asyncio, with rows as tuples",
    ),
    "aiopg-dict": Tool(
        "toolbench.postgres.aiopg_driver:AiopgDict",
        needs=("aiopg", "psycopg2"),
        database="postgres",
        levels={**ASYNC, **NEVER_PREPARES, **TEXT},
        cannot=NOT_IN_AIOPG,
        gives={"bytea": "memoryview"},
        text="aiopg with psycopg2's DictCursor: rows have names, as those of other drivers",
    ),
    "pgx": Program(
        "golang",
        database="postgres",
        levels={**GOROUTINES, **PREPARES, FORMAT: ("binary", "text")},
        gives={"char": "rune"},
        text="pgx, in Go, through its own interface; rows are structs in a slice",
    ),
    "pq": Program(
        "golang",
        database="postgres",
        levels={**GOROUTINES, **PREPARES, **TEXT},
        text="lib/pq, in Go, under database/sql; rows are structs in a slice",
    ),
    "node-pg": Program(
        "nodejs",
        needs=("pg", "pg-copy-streams"),
        database="postgres",
        levels={**LIBUV, **PREPARES, **TEXT},
        gives=IN_NODE,
        text="pg (node-postgres), in JavaScript; COPY by pg-copy-streams",
    ),
    "node-pg-native": Program(
        "nodejs",
        needs=("pg-native",),
        database="postgres",
        levels={**LIBUV, **PREPARES, **TEXT},
        cannot={"copy": "pg-native documents no COPY"},
        gives=IN_NODE,
        text="pg-native: libpq under Node",
    ),
    "node-postgres": Program(
        "nodejs",
        needs=("postgres",),
        database="postgres",
        levels={**LIBUV, **PREPARES, **TEXT},
        gives=IN_NODE,
        text="postgres (Postgres.js), in JavaScript",
    ),
    "sqlalchemy-sync": Mapper(
        "toolbench.sqlalchemy.ways:Sync",
        needs=("sqlalchemy", "psycopg2"),
        database="postgres",
        levels=BLOCKING,
        text="SQLAlchemy's sessions on psycopg2 (psycopg2-binary), one operation after the other",
    ),
    "sqlalchemy-tasks": Mapper(
        "toolbench.sqlalchemy.ways:tasks",
        needs=SQLALCHEMY,
        database="postgres",
        levels=ASYNC,
        text="SQLAlchemy's asyncio sessions on asyncpg, a task for each operation, and a pool as "
        "large as the database allows",
    ),
    "sqlalchemy-chunks": Mapper(
        "toolbench.sqlalchemy.ways:chunks",
        needs=SQLALCHEMY,
        database="postgres",
        levels=ASYNC,
        text="the same in chunks of as many operations as there are at a time: all of a chunk are "
        "waited for",
    ),
    "sqlalchemy-bounded": Mapper(
        "toolbench.sqlalchemy.ways:bounded",
        needs=SQLALCHEMY,
        database="postgres",
        levels=ASYNC,
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
        "toolbench.tarantool.tarantool_driver:Tarantool",
        # The project has a folder of the name `tarantool` alone.
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
        cannot=NO_POOL,
        text="PyMySQL: MySQL's protocol, in Python, with TLS off, which it would prefer",
    ),
    "mysqlclient": Tool(
        "toolbench.mysql.mysqlclient_driver:Mysqlclient",
        needs=("MySQLdb",),
        database="mysql",
        levels={**BLOCKING, **NEVER_PREPARES, **TEXT},
        cannot=NO_POOL,
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
