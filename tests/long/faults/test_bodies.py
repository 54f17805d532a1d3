"""Bodies and heads without an end: they are refused while they arrive."""

from __future__ import annotations

import pytest

from tests.long.faults.conftest import Extent
from tests.long.faults.page import Record
from tests.support.engines import BARE
from tests.support.faults.engines import server_of
from tests.support.faults.floods import FLOODS, MIB, MOST_GROWTH, flood, packed, refused_at_once
from tests.support.faults.voters import serves
from tests.support.site_client import FORM, ask
from tests.support.site_server import Databases

pytestmark = pytest.mark.fault(
    "bodies and heads without an end",
    "8 GB that are announced are refused at once; a server's memory grows by less than 16 MB "
    "whatever arrives, and no body is unpacked.",
    bound=600,
)


@pytest.mark.parametrize("engine", BARE)
def test_floods(engine: str, databases: Databases, extent: Extent, record: Record) -> None:
    size = extent.times(full=300, short=64) * MIB
    record.tried = f"{len(FLOODS)} floods of {size // MIB} MB"
    with server_of(engine, databases) as server:
        before = server.tree()
        flood(server, *FLOODS["body"], size)  # what is allocated once is no growth
        growth = {name: flood(server, *parts, size) for name, parts in FLOODS.items()}
        record.text = f"memory grew by {max(growth.values()) / MIB:.0f} MB at most"
        assert max(growth.values()) < MOST_GROWTH, growth
        assert refused_at_once(server, "/")
        bomb = ask(server.url, "POST", "/", packed(), Content_Type=FORM, Content_Encoding="gzip")
        assert bomb.status == 400
        assert serves(server)
        assert serves(server, "/")
        assert server.tree() == before
        assert server.log() == ""
