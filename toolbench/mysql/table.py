"""The table that operations read: 100,000 orders of a sticker shop, the same on every machine.

It has a column of each type that applications use, and nulls in those that may have them.
"""

from __future__ import annotations

# ruff: noqa: S608  what is put together here are constants
import random
from collections.abc import Sequence
from datetime import date, datetime, timedelta
from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple

SEED = 20240229
ORDERS = 100_000
CUSTOMERS = 2_000
FIRST_DAY = datetime(2019, 1, 1)  # noqa: DTZ001  the column has no zone
SECONDS_BETWEEN = 1_500
# Doubles are multiples of this, so that their texts are exact.
GRAIN = 1 / 64
PICTURE_BYTES = 16

TABLE = "toolbench_orders"
CREATE = f"""
    CREATE TABLE IF NOT EXISTS {TABLE} (
        id INT PRIMARY KEY,
        customer INT NOT NULL,
        name VARCHAR(50) NOT NULL,
        mail VARCHAR(100) NOT NULL,
        ordered DATETIME NOT NULL,
        packed DATETIME(6) NULL,
        wanted DATE NULL,
        price DECIMAL(10, 2) NOT NULL,
        weight DOUBLE NOT NULL,
        views BIGINT NOT NULL,
        paid TINYINT NOT NULL,
        picture VARBINARY(64) NOT NULL,
        note TEXT NULL,
        KEY orders_of_customer (customer, id),
        KEY orders_by_time (ordered)
    ) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4"""

# Pairs of a name and a type, as in operations.
COLUMNS = (
    ("id", "int"),
    ("customer", "int"),
    ("name", "varchar"),
    ("mail", "varchar"),
    ("ordered", "datetime"),
    ("packed", "datetime"),
    ("wanted", "date"),
    ("price", "decimal"),
    ("weight", "double"),
    ("views", "bigint"),
    ("paid", "tinyint"),
    ("picture", "varbinary"),
    ("note", "text"),
)
INSERT = (
    f"INSERT INTO {TABLE} ({', '.join(name for name, _ in COLUMNS)}) "
    f"VALUES ({', '.join(['%s'] * len(COLUMNS))})"
)

SAMPLE = f"SELECT * FROM {TABLE} WHERE id % 97 = 1 ORDER BY id"

_FIRST = """
Ada Alan Anita Barbara Bjarne Brian Carol Dennis Donald Edsger Frances Grace Guido Hedy Jean John
Joan Karen Ken Kathleen Larry Leslie Linus Lois Margaret Niklaus Radia Sophie Tim Yukihiro
""".split()
_LAST = """
Allen Backus Borg Clarke Dijkstra Engelbart Floyd Goldberg Hamilton Hopper Iverson Jones Kay
Keller Knuth Lamport Liskov Lovelace McCarthy Matsumoto Milner Naur Perlman Ritchie Shannon
Thompson Torvalds Turing Wilson Wirth
""".split()
_WORDS = """
please send the large sheet with foxes and no badgers wrapped twice to my door before noon thank
you it is a gift for someone who likes round corners grüße aus köln 🙂
""".split()


class Order(NamedTuple):
    """A row of the table."""

    id: int
    customer: int
    name: str
    mail: str
    ordered: datetime
    packed: datetime | None
    wanted: date | None
    price: Decimal
    weight: float
    views: int
    paid: int
    picture: bytes
    note: str | None


@lru_cache(maxsize=1)
def orders() -> Sequence[Order]:
    """Return all orders by id, from 1."""
    source = random.Random(SEED)  # noqa: S311  the same on every machine is the point
    return [_order(number, source) for number in range(1, ORDERS + 1)]


def sample() -> Sequence[Order]:
    """Return the orders that SAMPLE selects."""
    return orders()[::97]


def _order(number: int, source: random.Random) -> Order:
    first, last = source.choice(_FIRST), source.choice(_LAST)
    ordered = FIRST_DAY + timedelta(seconds=number * SECONDS_BETWEEN + source.randrange(900))
    packed = ordered + timedelta(microseconds=source.randrange(1, 10**11))
    words = source.choices(_WORDS, k=source.randrange(1, 40))
    return Order(
        id=number,
        customer=source.randrange(CUSTOMERS) + 1,
        name=f"{first} {last}",
        mail=f"{first}.{last}.{number}@example.org".lower(),
        ordered=ordered,
        packed=packed if source.random() < 0.9 else None,
        wanted=(ordered + timedelta(days=source.randrange(60))).date() if number % 7 else None,
        price=Decimal(source.randrange(99, 1_000_000)).scaleb(-2),
        weight=source.randrange(1, 1 << 20) * GRAIN,
        views=source.getrandbits(40),
        paid=int(source.random() < 0.8),
        picture=source.getrandbits(8 * PICTURE_BYTES).to_bytes(PICTURE_BYTES, "big"),
        note=" ".join(words) if number % 5 else None,
    )
