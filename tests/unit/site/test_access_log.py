"""A client cannot write lines of its own into the access log."""

from __future__ import annotations

import pytest

from handlers.web import access_log


def test_what_a_client_sent_writes_no_line_of_its_own(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("DEBUG", "access"):
        assert access_log.wanted()
        access_log.note("GET", "/a\n2026-01-01 ERROR site: ü", 404)
    assert caplog.messages == [r"GET /a\n2026-01-01 ERROR site: \xfc 404"]
    assert not access_log.wanted()
