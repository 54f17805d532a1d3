"""Index, Good and Ugly on a framework for WSGI, psycopg's pool and gunicorn's threads.

`python -m race.web.programs.with_wsgi -p PORT --framework flask [--limit]`

gunicorn has the options of the site's own, as far as these change what a request costs.
"""

from __future__ import annotations

import argparse
import sys
from importlib import import_module
from typing import Any

from data_interface.store import StoreError
from databases.database import DatabaseError
from race.web.programs import site
from race.web.programs.gunicorn_server import serve
from race.web.programs.postgres import Pages, database
from runtime.address import AddressError
from runtime.clock import ClockError
from runtime.listen import listen

NAME = "with_wsgi"
FRAMEWORKS = ("flask", "falcon", "django", "bare")
THREADS, CONNECTIONS = 32, 10  # as the site has them


def application(given: argparse.Namespace, url: str) -> Any:
    """Return the application, connected to the database."""
    pages = Pages(url, CONNECTIONS, given.limit)
    framework = import_module(f"race.web.programs.wsgi.{given.framework}_app")
    return framework.application(pages.index, pages.good)


def main() -> None:
    """Serve until SIGTERM."""
    parser = site.parser(__doc__)
    parser.add_argument("--framework", choices=FRAMEWORKS, required=True)
    given = parser.parse_args()
    try:
        sock = listen(given.port)
        url = database()
    except (OSError, AddressError, ClockError, DatabaseError, StoreError) as error:
        sys.exit(f"{NAME}: {error}")
    # By default gunicorn believes what clients of this machine say of their address.
    settings = {"threads": THREADS, "forwarded_allow_ips": ""}
    serve(NAME, lambda: application(given, url), sock, **settings)


if __name__ == "__main__":
    main()
