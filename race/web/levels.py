"""Explains the levels of an engine's factors to readers of a report, and facts beside the levels.

A level that its name explains has no text here. A report shows the levels that were raced.
"""

from __future__ import annotations

from collections.abc import Mapping

LEVELS = {
    "web": {
        "asgi": "no framework: the site as an application of ASGI itself",
        "rsgi": "no framework: the site as an application of RSGI, Granian's own interface",
        "falconwsgi": "Falcon's form for WSGI, whose pages run in threads",
        "djangowsgi": "Django's handler for WSGI, whose pages run in threads",
        "wsgi": "no framework: the site as an application of WSGI itself",
    },
    "server": {
        "own": "the server that the framework has by itself; no part of a name",
        "uvicorn": "the server uvicorn, which parses HTTP with httptools, written in C, in the "
        "event loop's thread; no part of a name. No server here writes an access log",
        "hypercorn": "the server Hypercorn, which parses HTTP with h11, written in Python",
        "granian": "the server Granian, whose HTTP is hyper's, in a thread of Rust beside the "
        "event loop's, with ASGI between the two",
        "gunicorn": "the server gunicorn, which parses HTTP in Python and calls WSGI in threads "
        "(gthread, 32 of them); no part of a name",
    },
    "loop": {
        "asyncio": "the event loop of CPython itself; no part of a name",
        "uvloop": "the event loop uvloop, written in C",
    },
    "backend": {
        "memory": "no database: stickers and votes live in the server's own process",
        "tarantool": "the database Tarantool through the driver asynctnt",
        "aiotarantool": "the database Tarantool through the driver aiotarantool (our connect)",
        "tarantoolproc": "the database Tarantool through the driver asynctnt, with Index, Good "
        "and Bad as one procedure each, so one request instead of up to nine",
        "postgres": "the database PostgreSQL through the driver asyncpg",
        "psycopg": "the database PostgreSQL (postgres) through the driver psycopg",
        "psycopgsync": "the database PostgreSQL (postgres) through the driver psycopg, its "
        "synchronous side, for pages in threads",
        "psycopgpipeline": "the database PostgreSQL (postgres) through the driver psycopg, whose "
        "pipelines send those of a page's requests together that need no answer of each other",
        "postgresfunc": "the database PostgreSQL through the driver asyncpg, with Index, Good and "
        "Bad as one function each, so one request instead of up to nine",
        "sqlalchemy": "the database PostgreSQL (postgres) through SQLAlchemy's mapped classes, on "
        "the driver asyncpg",
        "postgresjson": "the database PostgreSQL (postgres) through the driver asyncpg, with one "
        "JSONb column in each table, as the sticker article had it",
        "valkey": "the database Valkey or Redis through the client valkey-py",
        "sqlite": "the database SQLite through the driver aiosqlite: a file, and no server",
        "asyncmy": "the database MariaDB (mysql) through the driver asyncmy",
        "aiomysql": "the database MariaDB (mysql) through the driver aiomysql",
    },
    "connection": {
        "one": "one connection to the database for the life of the server",
        "pool": "a pool of connections, the driver's own where it has one",
        "gate": "a pool of the same size of ours, which gives connections back as they are",
        "multi": "a new connection for each page request",
        "query": "a new connection for each request to the database",
    },
    "render": {
        "jinja": "each request renders its template, with Jinja2; no part of a name",
        "minijinja": "each request renders its template, with MiniJinja, which is written in Rust",
        "prepared": "templates are rendered once, when the server starts, and filled in later",
    },
    "python": {
        f"{version}t": f"CPython {version}, free-threaded: built to run without the GIL; a cell "
        "in which a module enables it again is invalid"
        for version in ("3.13", "3.14")
    },
    "link": {
        "0 ms": "nothing between server and database but the machine; a link of 2 ms adds two "
        "milliseconds to each round trip between them, half on the way there, half on the way back",
    },
    "distance": {
        "0 ms": "nothing between load generator and server but the machine; a distance of 12 ms "
        "adds twelve milliseconds to each round trip between them, half on each way",
    },
    "generator": {
        "locust": "Locust's users wait one to four seconds between two pages and send the next one "
        "when they have read the last (a closed loop): a slow site is asked less, and requests/s "
        "depend on the number of users as well as on the site. Locust rounds times to whole "
        "milliseconds and two digits, and is a Python process itself: where its core was "
        "saturated, times include its own delays. Each point of a timeline is over the last three "
        "seconds.",
    },
}
"""Texts by factor and level. `generator` is no factor: it explains a generator's figures."""

PARSERS = {
    "aiohttp": "llhttp, in C",
    "sanic": "Sanic's, in Python",
    "japronto": "picohttpparser, in C",
    "uvicorn": "httptools (llhttp), in C",
    "hypercorn": "h11, in Python",
    "granian": "hyper, in Rust",
    "gunicorn": "gunicorn's, in Python",
}
"""The parser of HTTP by server, or by web framework that is its own server."""


def facts(factors: Mapping[str, str]) -> dict[str, str]:
    """Return the facts of an engine of server.py: what its server does and no factor says."""
    server = factors.get("server", "")
    parser = PARSERS.get(factors.get("web", "") if server == "own" else server, "unknown")
    return {"HTTP parser": parser, "access log": "off"}
