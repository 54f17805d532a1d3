"""A race whose cells were lost to the machine has no result, and says what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from race.analysis.analyse import analyse
from race.report import html, markdown
from race.saved.reader import SavedRace
from tests.support import records

OTHERS = (
    "No result: other programs took 55 % of the cores. End them (`top` shows them) and run again, "
    "or accept the noise with `--set limits.foreign=1`."
)
HOST = (
    "No result: the host took 30 % of the cores. Run again at a quieter time or on another "
    "machine, or accept the noise with `--set limits.steal=1`."
)


Lost = tuple[str, float, float]
"""The status of a cell, and its steal and foreign CPU."""


def race(found: list[Lost]) -> SavedRace:
    cells = [
        records.cell(round=number, status=status, throughput=9.0, meters={"cores": cores})
        for number, (status, steal, foreign) in enumerate(found, start=1)
        for cores in [{"steal": steal, "foreign": foreign}]
    ]
    return SavedRace(Path("x"), records.head(records.contender("a")), cells, [])


@pytest.mark.parametrize(
    ("found", "said"),
    [
        ([("invalid", 0.0, 0.55)] * 3 + [("ok", 0.0, 0.01)] * 2, OTHERS),
        ([("invalid", 0.3, 0.01)] * 3 + [("ok", 0.0, 0.01)] * 2, HOST),
        ([("invalid", 0.0, 0.55)] * 2 + [("ok", 0.0, 0.01)] * 2, None),
        ([("invalid", 0.0, 0.01)] * 3, None),  # contenders' own faults
        ([], None),
    ],
)
def test_what_took_the_cores_is_the_headline(found: list[Lost], said: str | None) -> None:
    analysis = analyse(race(found))
    assert analysis.trust.no_result == said
    for text in (html.page(analysis), markdown.page(analysis)):
        assert ("No result" in text) == (said is not None)
