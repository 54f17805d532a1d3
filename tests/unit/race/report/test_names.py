"""Names without the parts that all share."""

from __future__ import annotations

import pytest

from race.report.charts.colours import shared, shortened


@pytest.mark.parametrize(
    ("labels", "left_out", "short"),
    [
        (
            ["aiohttp-tarantool-one", "sanic-tarantool-one-uvloop"],
            ["tarantool", "one"],
            ["aiohttp", "sanic-uvloop"],
        ),
        (["a-b-one", "a-b"], [], ["a-b-one", "a-b"]),
        (["psycopg, link 0 ms", "asyncpg, link 0 ms"], ["link 0 ms"], ["psycopg", "asyncpg"]),
        (["aiohttp-x, prepared", "aiohttp-y"], ["aiohttp"], ["x, prepared", "y"]),
        (["alone"], [], ["alone"]),
        ([], [], []),
    ],
)
def test_what_all_names_contain_is_left_out(
    labels: list[str], left_out: list[str], short: list[str]
) -> None:
    assert shared(labels) == left_out
    assert shortened(labels) == dict(zip(labels, short, strict=True))
