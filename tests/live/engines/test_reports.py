"""The reports over HTTP: for the same votes at the same time the same bytes from every engine."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.engines import EACH_WEB, ON_MEMORY, PAIRS, Starter, on, with_each
from tests.support.html import duels
from tests.support.site_client import FORM, Answer, ask, get, read_ballot
from tests.support.site_server import Databases, SiteServer, serving, until

CLOCK = "2026-05-01T12:34:56Z"
PATIENCE_SECONDS = 20.0
REPORTS = [f"/reports/{number}" for number in range(1, 6)]


def env(databases: Databases) -> dict[str, str]:
    return databases.env(SITE_CLOCK=CLOCK, SITE_HISTORY="1")


def patient(url: str, path: str) -> Answer:
    """A report. A heavy one may be late, and so refused, while others use the machine."""

    def asked() -> Answer | None:
        answer = get(url, path)
        return None if answer.status == 503 else answer

    found: Answer = until(asked, PATIENCE_SECONDS, f"{path} is still busy")
    assert found.status == 200, found
    return found


@pytest.fixture(scope="module")
def stopped(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Databases]:
    """Databases where time stands still: votes of other tests would be in the reports."""
    found = Databases(tmp_path_factory.mktemp("stopped"))
    try:
        yield found
    finally:
        found.release()


@pytest.fixture(scope="module")
def model(stopped: Databases) -> list[bytes]:
    """The reports of the reference."""
    with serving(ON_MEMORY[0], env(stopped)) as server:
        found = [get(server.url, path).body for path in REPORTS]
    assert all(b'<time datetime="2026-05-01T12:34:56Z">' in body for body in found)
    assert len(duels(found[1].decode())) == 20
    return found


@with_each([*ON_MEMORY, *EACH_WEB[:1]], others=PAIRS)
def test_every_engine_gives_the_same_bytes(
    engine: str, starter: Starter, stopped: Databases, model: list[bytes]
) -> None:
    name = starter.ready(engine).plugins[1].database
    if name:
        stopped.hold(name)
    with serving(engine, env(stopped)) as server:
        for path, expected in zip(REPORTS, model, strict=True):
            assert patient(server.url, path).body == expected, path
        assert server.log() == ""


@on([*ON_MEMORY, *EACH_WEB], others=PAIRS)
def test_a_vote_is_reported_at_once(site: SiteServer) -> None:
    page = get(site.url, "/")
    cookie = page.headers["set-cookie"].partition(";")[0]
    found = read_ballot(page.text)
    form = f"vote_plus={found.minus}&vote_minus={found.plus}".encode()
    answer = ask(site.url, "POST", "/", form, Content_Type=FORM, Cookie=cookie)
    assert answer.headers["location"] == "/?voted=1"
    assert duels(get(site.url, "/reports/2").text)[0] == (found.right, found.left)
    for path in REPORTS:
        patient(site.url, path)
