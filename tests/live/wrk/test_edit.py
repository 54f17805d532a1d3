"""edit.lua against the site itself: what it calls acknowledged is what the stickers show."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from tests.support.site_client import Manager, get
from tests.support.site_server import TOKEN, environment, serving
from tests.support.wrk_lab import CONNECTIONS, FaultyServer, load


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    """The address of a server where only these tests edit."""
    with serving("aiohttp-memory-one", environment(SITE_TOKEN=TOKEN)) as server:
        yield server.url


def marked(site: str) -> set[tuple[int, int]]:
    """The stickers whose title ends with an exclamation mark."""
    packs = get(site, "/stickers").json()["packs"]
    return {
        (one["pack"], one["id"])
        for pack in packs
        for one in get(site, f"/stickers/{pack['id']}").json()["stickers"]
        if one["title"].endswith("!")
    }


def test_acknowledged_edits_are_there(site: str) -> None:
    manager = Manager(site)
    manager.log_in(TOKEN)
    before = marked(site)
    cookie = ("-H", f"Cookie: {manager.cookie}")
    result = load(*cookie, site, "--", "--edits", "20", script="edit.lua")
    assert result["edits"] == {"posted": 20, "acknowledged": 20, "unanswered": 0}
    # A sticker that was edited twice has its title again.
    changed = len(before ^ marked(site))
    assert changed in range(14, 21)
    assert changed % 2 == 0
    assert not any(result["errors"].values())
    assert result["forms"] + 20 == result["requests"]
    assert (result["unexpected"], result["depth"]) == (0, 1)
    cast = load(*cookie, "-t2", site, script="edit.lua")["edits"]
    assert cast["acknowledged"] > 100
    assert 0 <= cast["unanswered"] <= CONNECTIONS


def test_a_hostile_title_is_sent_back_whole(site: str) -> None:
    manager, title = Manager(site), "a&b=<c>+\"d\" 'e' %41 ü 🦊"
    manager.log_in(TOKEN)
    for number in range(1, 31):
        manager.send(f"/manage/sticker/1/{number}/edit", title=title)
    cookie = ("-H", f"Cookie: {manager.cookie}")
    load(*cookie, site, "--", "--stickers", "30", "--edits", "31", script="edit.lua")
    found = [one["title"] for one in get(site, "/stickers/1").json()["stickers"]]
    assert {re.sub("!$", "", one) for one in found} == {title}
    assert any(one.endswith("!") for one in found)


def test_who_is_not_logged_in_edits_nothing(site: str, server: FaultyServer) -> None:
    for url in (site, server.url):
        result = load(url, script="edit.lua")
        assert result["edits"]["posted"] == result["forms"] == 0
        assert result["unexpected"] == result["responses"] > 0
