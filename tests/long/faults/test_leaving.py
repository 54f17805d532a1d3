"""Ordinary clients leave after the first bytes of their answers."""

from __future__ import annotations

import pytest

from tests.long.faults.conftest import Extent
from tests.long.faults.page import Record
from tests.support.engines import BARE
from tests.support.faults.engines import server_of
from tests.support.faults.leaving import UNMAPPED, leave
from tests.support.site_server import Databases

AT_ONCE = 100
PAGES = ("/", "/good", "/bad", "/ugly", "/about", "/stickers", "/stickers/3", "/reports/1")

pytestmark = pytest.mark.fault(
    "clients that leave",
    "Of 100 clients at once, each on a new connection that it closes or resets after its first "
    "read, all are answered; no process of the server ends, though freed memory is unmapped at "
    "once.",
    bound=300,
)


@pytest.mark.parametrize("engine", BARE)
def test_clients_that_leave(
    engine: str,
    databases: Databases,
    extent: Extent,
    record: Record,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rounds, answered = extent.times(full=20, short=2), 0
    for name, value in UNMAPPED.items():
        monkeypatch.setenv(name, value)
    with server_of(engine, databases) as server:
        before = server.tree()
        for _ in range(rounds):
            answered += sum(leave(server.port, page, AT_ONCE) for page in PAGES)
        record.tried = f"{rounds * len(PAGES) * AT_ONCE:,} requests of {len(PAGES)} pages"
        record.text = f"{answered:,} answered"
        assert server.log() == ""
        assert server.tree() == before
    assert answered == rounds * len(PAGES) * AT_ONCE
