"""Connection options of the drivers that use libpq."""

from __future__ import annotations

from typing import Any

from runtime.address import Address


def options(address: Address) -> dict[str, Any]:
    """Return libpq's keywords for an address.

    TLS is off: the drivers of Go and Node do not use it unless they are told to, and drivers are
    what is compared.
    """
    return {
        "host": address.path or address.host,
        "port": address.port,
        "user": address.user,
        "password": address.password,
        "dbname": address.name,
        "sslmode": "disable",
    }
