"""vote.lua against the site itself: what it calls acknowledged is what the site counted."""

from __future__ import annotations

import json
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path

import pytest

from tests.support.site_server import environment, serving
from tests.support.wrk_lab import CONNECTIONS, SCRIPTS, FaultyServer, load


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    """The address of a server where only these tests vote."""
    with serving("aiohttp-memory-one", environment()) as server:
        yield server.url


def votes(site: str) -> int:
    """All votes that the stickers have got; every one raises one sticker's `up` by one."""
    connection = HTTPConnection(site.removeprefix("http://"), timeout=10)

    def get(path: str) -> dict[str, list[dict[str, int]]]:
        connection.request("GET", path)
        answer: dict[str, list[dict[str, int]]] = json.load(connection.getresponse())
        return answer

    packs = [pack["id"] for pack in get("/stickers")["packs"]]
    total = sum(one["up"] for pack in packs for one in get(f"/stickers/{pack}")["stickers"])
    connection.close()
    return total


def test_every_acknowledged_vote_is_counted(site: str) -> None:
    before = votes(site)
    result = load(site, "--", "--votes", "100", script="vote.lua")
    assert result["votes"] == {"posted": 100, "acknowledged": 100, "refused": 0, "unanswered": 0}
    assert votes(site) - before == 100
    assert not any(result["errors"].values())
    assert result["pages"] + 100 == result["requests"]
    assert (result["unexpected"], result["depth"]) == (0, 1)


def test_the_end_of_the_run_cuts_off_at_most_one_vote_per_connection(site: str) -> None:
    before = votes(site)
    result = load("-t2", site, script="vote.lua")
    cast = result["votes"]
    assert cast["acknowledged"] > 100
    assert cast["refused"] == 0
    assert 0 <= cast["unanswered"] <= CONNECTIONS
    assert 0 <= votes(site) - before - cast["acknowledged"] <= cast["unanswered"]
    assert (result["threads"], result["visitors"]) == (2, CONNECTIONS)


def test_a_ballot_posted_twice_is_refused_once(site: str, tmp_path: Path) -> None:
    before = votes(site)
    script = tmp_path / "twice.lua"
    script.write_text(f"""dofile("{SCRIPTS}/vote.lua")
    local once, again = request, nil
    function request()
      local wanted = again or once()
      again = not again and wanted:find("^POST") and wanted or nil
      return wanted
    end""")
    cast = load(site, "--", "--votes", "50", script=script)["votes"]
    assert (cast["posted"], cast["acknowledged"], cast["refused"]) == (50, 50, 50)
    assert votes(site) - before == 50


def test_a_page_without_ballots_is_said(server: FaultyServer) -> None:
    result = load(server.url, script="vote.lua")
    assert result["votes"]["posted"] == result["pages"] == result["visitors"] == 0
    assert result["unexpected"] == result["responses"] > 0
