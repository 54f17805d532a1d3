"""Malformed requests are sent, several at once."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from itertools import islice

import pytest

from tests.long.faults.conftest import Extent
from tests.long.faults.page import Record
from tests.support.engines import BARE
from tests.support.faults.engines import server_of
from tests.support.faults.hostile import inputs
from tests.support.faults.voters import serves
from tests.support.site_client import raw
from tests.support.site_server import Databases

AT_ONCE = 8
BATCH = 40
ANSWER_SECONDS = 1.5
# "Not implemented" and "HTTP version not supported" are correct answers to such requests.
ALLOWED = {501, 505}

pytestmark = pytest.mark.fault(
    "hostile input",
    "No malformed request is answered with a server error, ends a process, or writes a line to the "
    "log; the next visitor is served.",
    bound=300,
)


def statuses_of(port: int, text: bytes, close: bool) -> list[int]:
    """Send an input; return the statuses that arrive before the server closes or is silent."""
    try:
        answer = raw(port, text, close, ANSWER_SECONDS)
    except TimeoutError:
        return []
    return [int(status) for status in re.findall(rb"HTTP/1\.[01] (\d{3}) ", answer)]


@pytest.mark.parametrize("engine", BARE)
def test_hostile_input(engine: str, databases: Databases, extent: Extent, record: Record) -> None:
    chance = extent.random("hostile")
    given, number = inputs(chance), extent.times(full=400, short=80)
    answered = 0
    with server_of(engine, databases) as server, ThreadPoolExecutor(AT_ONCE) as pool:
        before = server.tree()
        for _ in range(number // BATCH):
            batch = list(islice(given, BATCH))
            closes = [chance.random() < 0.5 for _ in batch]
            texts = [text for _, text in batch]
            answers = list(pool.map(statuses_of, [server.port] * BATCH, texts, closes))
            for (name, _), statuses in zip(batch, answers, strict=True):
                wrong = {status for status in statuses if status >= 500} - ALLOWED
                assert not wrong, (name, wrong)
            answered += sum(map(bool, answers))
            assert serves(server), f"after {batch[-1][0]}"
        record.tried, record.text = f"{number} inputs", f"{answered} answered"
        assert server.tree() == before
        assert server.log() == ""
