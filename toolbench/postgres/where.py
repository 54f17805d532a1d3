"""Where PostgreSQL listens, in libpq's words.

Without TLS: Go's and Node's drivers have none unless told, and drivers are what is compared.
"""

from __future__ import annotations

from typing import Any

from toolbench.driver import Address


def libpq(address: Address) -> dict[str, Any]:
    """Of every driver on libpq; the port is part of the name of a Unix socket."""
    return {
        "host": address.path or address.host,
        "port": address.port,
        "user": address.user,
        "password": address.password,
        "dbname": address.database,
        "sslmode": "disable",
    }
