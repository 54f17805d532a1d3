"""The data side of the site: one protocol, one module for each driver.

``BACKENDS`` is the registry: a new backend is one module and one line here. Each target is a
function ``(connection: str, url: str, size: int) -> store.Store``.
"""

from .plugin import Plugin

ALL = ("one", "pool", "multi", "query")

BACKENDS = {
    "memory": Plugin("data_interface.memory_store:open_store", connections=("one",)),
    "tarantool": Plugin(
        "data_interface.asynctnt_store:open_store",
        needs=("asynctnt",),
        server="tarantool",
        url="TARANTOOL_URL",
        connections=ALL,
    ),
    "aiotarantool": Plugin(
        "data_interface.aiotarantool_store:open_store",
        needs=("aiotarantool", "tarantool"),
        python="3.7",
        server="tarantool",
        url="TARANTOOL_URL",
        connections=ALL,
    ),
    "postgres": Plugin(
        "data_interface.asyncpg_store:open_store",
        needs=("asyncpg",),
        server="postgres",
        url="DATABASE_URL",
        connections=ALL,
    ),
}
