"""A cover of all engines gives right pages, the same HTML, a vote, and a clean end.

`tests/long` does so with every engine.
"""

from __future__ import annotations

from tests.support.engines import (
    ENGINES,
    MAIN,
    PAIRS,
    Starter,
    pairwise,
    with_each,
)
from tests.support.html import OURS, PAGES, UGLY, cards, duels, masked, numbers
from tests.support.site_client import ballot, get, sticker, vote
from tests.support.site_server import SiteServer, serving


@with_each(PAIRS, others=[*(engine.name for engine in MAIN), *pairwise(ENGINES)])
def test_an_engine_serves_the_site(starter: Starter, engine: str, reference: SiteServer) -> None:
    starter.ready(engine)
    with serving(engine, starter.databases.env()) as server:
        check_pages(server, reference)
        check_podiums(server)
        check_about(server)
        check_vote(server)
        check_stickers(server)
        check_end(server)


def check_pages(server: SiteServer, reference: SiteServer) -> None:
    for path in PAGES:
        answer, model = get(server.url, path), get(reference.url, path)
        assert answer.status == 200
        assert masked(answer.text) == masked(model.text), path
        assert answer.headers["content-type"] == model.headers["content-type"], path
        for name in OURS:
            assert (name in answer.headers) == (path != UGLY), (path, name)
            assert answer.headers.get(name) == model.headers.get(name), (path, name)
    assert get(server.url, UGLY).body == b"UGLY"


def check_podiums(server: SiteServer) -> None:
    good, bad = (cards(get(server.url, path).text) for path in ("/good", "/bad"))
    assert len(good) == len(bad) == 9
    assert good == sorted(good, key=lambda card: (card[1], card[0]), reverse=True)
    assert bad == sorted(bad, key=lambda card: (card[1], card[0]))
    assert good[-1][1] > 0 > bad[-1][1]
    for number, rating, up, down in (*good, *bad):
        assert rating == up - down
        found = sticker(server.url, number)
        assert (found["rating"], found["up"], found["down"]) == (rating, up, down)


def check_about(server: SiteServer) -> None:
    html = get(server.url, "/about").text
    assert f"<code>{server.engine}</code> on Python <code>{server.python}</code>" in html
    shown = numbers(html)
    assert list(shown) == ["packs", "stickers", "visitors", "ballots", "votes"]
    # Other tests may have made some in the same database.
    assert shown["packs"] >= 540
    assert shown["stickers"] >= 16_200


def check_vote(server: SiteServer) -> None:
    found = ballot(server.url)
    before = [sticker(server.url, number) for number in (found.left, found.right)]
    answer = vote(server.url, found.plus, found.minus)
    assert (answer.status, answer.headers["location"]) == (303, "/?voted=1")
    again = vote(server.url, found.plus, found.minus)
    assert (again.status, again.headers["location"]) == (303, "/?voted=0")
    winner, loser = (sticker(server.url, number) for number in (found.left, found.right))
    assert (winner["up"], winner["rating"]) == (before[0]["up"] + 1, before[0]["rating"] + 1)
    assert (loser["down"], loser["rating"]) == (before[1]["down"] + 1, before[1]["rating"] - 1)
    assert (winner["down"], loser["up"]) == (before[0]["down"], before[1]["up"])
    assert duels(get(server.url, "/reports/2").text)[0] == (found.left, found.right)


def check_stickers(server: SiteServer) -> None:
    packs = get(server.url, "/stickers").json()["packs"]
    assert [pack["id"] for pack in packs[:540]] == list(range(1, 541))
    assert len(get(server.url, "/stickers/270").json()["stickers"]) == 30
    for path in ("/stickers/98765", "/stickers/2/1", "/stickers/99999", "/stickers/1/99999"):
        answer = get(server.url, path)
        assert (answer.status, list(answer.json())) == (404, ["error"]), path


def check_end(server: SiteServer) -> None:
    """Check that no child process is left, and that nothing was logged."""
    below = server.tree()
    assert len(below) <= 1  # a worker of its own, at the most
    assert server.stop() == 0
    assert not any(process.is_running() for process in below)
    assert server.log() == ""
