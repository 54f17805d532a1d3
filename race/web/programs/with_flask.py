"""The five reports on Flask, served by gunicorn with threads, on psycopg or psycopg2.

`python -m race.web.programs.with_flask -p PORT --driver psycopg --connection pool`

It has the site's requests and layout, and shows their rows as tables and trends; it serves no
pictures.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import jinja2
from flask import Flask, Response, abort, render_template

from data_interface.reports.rows import Report
from data_interface.store import StoreError
from databases.database import DatabaseError
from race.web.programs import reports
from race.web.programs.gunicorn_server import serve
from race.web.programs.postgres import database
from race.web.programs.templates import FOLDER, complete
from runtime.address import AddressError
from runtime.arguments import Parser, port, whole_number
from runtime.clock import ClockError, clock
from runtime.listen import listen
from runtime.paths import ROOT

WIDTH, HEIGHT, MOST_LEVEL = 640, 216, 5


class Chapter(NamedTuple):
    """A report: `asks` is its method, `row` the class of the rows of its tables."""

    number: int
    asks: str
    name: str
    title: str
    row: str = "row"


CHAPTERS = (
    Chapter(1, "today", "Today", "Today"),
    Chapter(2, "newest", "Newest", "The newest votes", "duel"),
    Chapter(3, "ratings", "Ratings", "Loved and loathed", "mover"),
    Chapter(4, "ranking", "Packs", "Packs on the move", "pack"),
    Chapter(5, "voters", "Voters", "Who votes, and when"),
)


class Column(NamedTuple):
    """A column of a trend, darker for more."""

    value: int
    x: float
    y: float
    width: float
    height: float
    level: int


class Part(NamedTuple):
    """One part of a report: a trend, or a table."""

    heading: str
    trend: Sequence[Column] = ()
    names: Sequence[str] = ()
    rows: Sequence[Sequence[Any]] = ()


def parts(found: Report) -> Iterator[Part]:
    """Yield the parts of a report as they are shown."""
    for field, value in found._asdict().items():
        heading = field.replace("_", " ").capitalize()
        if hasattr(value, "_asdict"):
            yield Part(heading, names=value._fields, rows=[value])
        elif value and isinstance(value[0], int):
            yield Part(heading, trend=list(trend(value)))
        elif value and hasattr(value[0], "_asdict"):
            yield Part(
                heading, names=value[0]._fields, rows=[list(map(cell, row)) for row in value]
            )
        else:
            yield Part(heading, names=("value", "count"), rows=value)


def trend(values: Sequence[int]) -> Iterator[Column]:
    """Yield the columns of a trend."""
    most, width = max(*values, 1), WIDTH / len(values)
    for place, value in enumerate(values):
        height = HEIGHT * max(value, 0) / most
        level = MOST_LEVEL * max(value, 0) // most
        yield Column(value, place * width, HEIGHT - height, width, height, level)


def cell(value: Any) -> Any:
    """Return the text of a value: of a sticker its title, of a trend its numbers."""
    if hasattr(value, "title") and hasattr(value, "_asdict"):
        return value.title
    return " ".join(map(str, value)) if isinstance(value, list) else value


def application(given: argparse.Namespace, url: str) -> Flask:
    """Return the application, with a pool if there is to be one."""
    app = Flask("reports", static_folder=str(ROOT / "static"), template_folder=str(FOLDER))
    folders = [str(FOLDER), str(Path(__file__).parent)]
    app.jinja_loader = jinja2.FileSystemLoader(folders)
    complete(app.jinja_env)
    driver = reports.DRIVERS[given.driver](url)
    page = reports.pages(driver, given.connection, given.pool)
    now_by = clock()
    known = {chapter.number: chapter for chapter in CHAPTERS}

    @app.get("/ugly")
    def ugly() -> Response:
        """Answer Ugly, by which Locust's users know the site."""
        return Response("UGLY", mimetype="text/plain")

    @app.get("/reports/<int:number>")
    def report(number: int) -> str:
        chapter = known.get(number) or abort(404)
        now = now_by()
        with page() as connect:
            asked = getattr(reports.BlockingReports(connect), chapter.asks)(now)
            found = reports.answer(asked)
        moment = datetime.fromtimestamp(now, UTC)
        return render_template(
            "report.html",
            chapter=chapter,
            chapters=CHAPTERS,
            parts=parts(found),
            now=f"{moment:%d %b %Y, %H:%M}",
            now_iso=moment.isoformat(),
        )

    return app


def arguments() -> argparse.Namespace:
    """Parse the command line."""
    parser = Parser(description=__doc__)
    parser.add_argument("-p", "--port", type=port, default=1717, help="0: a free one")
    parser.add_argument("--driver", choices=list(reports.DRIVERS), default="psycopg")
    parser.add_argument("--connection", choices=reports.MODES, default="pool")
    count = whole_number("number", 1, 1000)
    parser.add_argument("--threads", type=count, default=32, help="of gunicorn, default 32")
    parser.add_argument("--pool", type=count, default=10, help="connections, default 10")
    return parser.parse_args()


def main() -> None:
    """Serve until SIGTERM."""
    given = arguments()
    try:
        sock = listen(given.port)
        url = database()
    except (OSError, AddressError, ClockError, DatabaseError, StoreError) as error:
        sys.exit(f"with_flask: {error}")
    serve("with_flask", lambda: application(given, url), sock, threads=given.threads)


if __name__ == "__main__":
    main()
