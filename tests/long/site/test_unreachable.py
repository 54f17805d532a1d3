"""A database that cannot be reached is one line, whatever the driver and the reason."""

from __future__ import annotations

import pytest

from tests.live.site.test_server_cli import check_unreachable

POSTGRES, MYSQL, TARANTOOL = "DATABASE_URL", "MYSQL_URL", "TARANTOOL_URL"
UNREACHABLE = [
    ("sanic-postgres-query", POSTGRES, "postgresql://nobody@127.0.0.1:{silent}/none"),
    ("japronto-postgres-one", POSTGRES, "postgresql://nobody@127.0.0.1:{closed}/none"),
    ("aiohttp-postgres-one", POSTGRES, "mysql://root@127.0.0.1:{closed}/none"),
    ("aiohttp-postgres-one", POSTGRES, "postgresql://nobody@no.such.invalid/none"),
    ("aiohttp-asyncmy-pool", MYSQL, "mysql://nobody@127.0.0.1:{closed}/none"),
    ("aiohttp-asyncmy-one", MYSQL, "mysql://nobody@127.0.0.1:{silent}/none"),
    ("sanic-aiomysql-query", MYSQL, "mysql://nobody@127.0.0.1:{silent}/none"),
    ("aiohttp-aiomysql-pool", MYSQL, "mysql://nobody@no.such.invalid/none"),
    ("aiohttp-asyncmy-one", MYSQL, "postgresql://nobody@127.0.0.1:{closed}/none"),
    ("aiohttp-tarantool-one", TARANTOOL, "tarantool://127.0.0.1:{closed}"),
    ("japronto-tarantool-one", TARANTOOL, "tarantool://127.0.0.1:{closed}"),
    ("japronto-aiotarantool-one", TARANTOOL, "tarantool://127.0.0.1:{silent}"),
    ("aiohttp-tarantool-one", TARANTOOL, "not a URL"),
    ("aiohttp-tarantool-one", TARANTOOL, "tarantool://no.such.invalid:3301"),
    ("aiohttp-tarantool-one", TARANTOOL, "tarantool:///no/such.sock"),
    ("aiohttp-aiotarantool-one", TARANTOOL, "tarantool://127.0.0.1:{closed}"),
]


@pytest.mark.parametrize(("engine", "variable", "url"), UNREACHABLE, ids=lambda it: str(it)[:60])
def test_a_database_that_cannot_be_reached_is_one_line(
    engine: str, variable: str, url: str
) -> None:
    check_unreachable(engine, variable, url)
