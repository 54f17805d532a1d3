"""The data that a store shows and keeps."""

from __future__ import annotations

import re

from data_interface.stickers import catalogue
from data_interface.store import Conflict, NotFound, Sticker
from tests.support.stores.bench import (
    VISITOR,
    Bench,
    ask,
    counters,
    new_ballot,
    raises,
    unique,
    vote,
)

AXES = "driver"

ID = re.compile(r"[0-9a-f]{32}")
HOSTILE = [
    "'); DROP TABLE stickers; --",
    "x' OR '1'='1",
    "$1 $$ \\' \" ` ; {}",
    "]]; os.exit(1) --",
    "%s %(title)s {0} {title}",
    "Sticker \u200b\u202e \U0001f600 \u00e9",
]


async def test_the_catalogue_is_loaded(bench: Bench) -> None:
    packs, stickers = catalogue()
    async with bench.store() as store, store.acquire() as data:
        assert (await data.packs())[: len(packs)] == packs
        assert await data.pack(540) == packs[-1]
        found = await data.stickers(17)
        expected = [one for one in stickers if one.pack == 17]
        assert [(one.id, one.title) for one in found] == [(one.id, one.title) for one in expected]
        for one in found:
            assert one.rating == one.up - one.down
            assert await data.sticker(17, one.id) == one
        assert (await data.stickers(10**6)) == []


async def test_a_new_visitor_then_a_returning_one(bench: Bench) -> None:
    async with bench.store() as store, bench.insider(store) as insider:
        before = await counters(store)
        ballot = await new_ballot(store)
        assert ballot.left[0] != ballot.right[0]
        ids = {ballot.session, ballot.left_token, ballot.right_token}
        assert len(ids) == 3
        assert all(ID.fullmatch(each) for each in ids), ids
        again = await new_ballot(store, (ballot.session, "127.0.0.2", "another"))
        assert again.session == ballot.session
        async with store.acquire() as data:
            session, _ = await data.podium((ballot.session, "127.0.0.3", "third"), 9, True)
        assert session == ballot.session
        assert await insider.session(ballot.session) == ("127.0.0.3", "third", 3)
        after = await counters(store)
        assert after.visitors == before.visitors + 1
        assert after.ballots == before.ballots + 2
        assert after.votes == before.votes


async def test_a_ballot_shows_what_is_stored(bench: Bench) -> None:
    async with bench.store() as store:
        ballot = await new_ballot(store)
        async with store.acquire() as data:
            for shown in (Sticker(*ballot.left), Sticker(*ballot.right)):
                assert await data.sticker(shown.pack, shown.id) == shown


async def test_ballots_are_random(bench: Bench) -> None:
    """The chance that ten of 80 stickers out of 16,200 were drawn before is 10^-12."""
    async with bench.store() as store:
        ballots = [await new_ballot(store) for _ in range(40)]
        tokens = [one for ballot in ballots for one in (ballot.left_token, ballot.right_token)]
        shown = [one[0] for ballot in ballots for one in (ballot.left, ballot.right)]
        assert len(set(tokens)) == 80
        assert len({ballot.session for ballot in ballots}) == 40
        assert len(set(shown)) > 70
        upper = sum(one > 8100 for one in shown)
        assert 10 < upper < 70, upper


async def test_best_and_worst(bench: Bench) -> None:
    _, stickers = catalogue()
    async with bench.store() as store, store.acquire() as data:
        for best in (True, False):
            session, rows = await data.podium(VISITOR, 9, best)
            assert ID.fullmatch(session)
            shown = [Sticker(*row) for row in rows]
            keys = [(one.rating, one.id) for one in shown]
            assert len(set(keys)) == 9
            assert keys == sorted(keys, reverse=best)
            # Other tests move ratings a little: what was far beyond the ninth is still shown.
            sign = 1 if best else -1
            far = {one.id for one in stickers if (one.rating - keys[-1][0]) * sign > 10}
            assert far <= {one.id for one in shown}
            for one in shown[:2]:
                assert await data.sticker(one.pack, one.id) == one
        assert len((await data.podium(VISITOR, 3, True))[1]) == 3


async def test_packs_are_created_renamed_deleted(bench: Bench) -> None:
    async with bench.store() as store:
        before = await counters(store)
        title, other = unique("Pack"), unique("Pack")
        pack = await ask(store, "create_pack", title)
        assert pack.id > 540
        assert pack.title == title
        assert await ask(store, "pack", pack.id) == pack
        assert (await ask(store, "packs"))[-1] == pack
        await raises(Conflict, ask(store, "create_pack", title))
        taken = (await ask(store, "pack", 1)).title
        await raises(Conflict, ask(store, "rename_pack", pack.id, taken))
        renamed = await ask(store, "rename_pack", pack.id, other)
        assert renamed == await ask(store, "pack", pack.id) == pack._replace(title=other)
        assert await ask(store, "rename_pack", pack.id, other) == renamed
        assert (await counters(store)).packs == before.packs + 1
        await ask(store, "delete_pack", pack.id)
        await raises(NotFound, ask(store, "pack", pack.id))
        await raises(NotFound, ask(store, "rename_pack", pack.id, "Gone"))
        await raises(NotFound, ask(store, "delete_pack", pack.id))
        assert (await counters(store)).packs == before.packs


async def test_stickers_are_created_renamed_deleted(bench: Bench) -> None:
    async with bench.store() as store:
        before, edits = await counters(store), await ask(store, "edits")
        await raises(NotFound, ask(store, "create_sticker", 10**6, "Homeless"))
        pack = await ask(store, "create_pack", unique("Pack"))
        first = await ask(store, "create_sticker", pack.id, "First")
        second = await ask(store, "create_sticker", pack.id, "Second")
        assert first[1:] == (pack.id, "First", 0, 0, 0)
        # The refused one took no id: a gap would make the draw of a sticker uneven.
        assert second.id == first.id + 1 > 16_200
        assert await ask(store, "stickers", pack.id) == [first, second]
        assert (await counters(store)).stickers == before.stickers + 2
        renamed = await ask(store, "rename_sticker", pack.id, first.id, "Renamed")
        assert renamed == await ask(store, "sticker", pack.id, first.id)
        assert renamed == first._replace(title="Renamed")
        await raises(Conflict, ask(store, "delete_pack", pack.id))
        for wrong in ((1, first.id), (pack.id, 10**6)):
            await raises(NotFound, ask(store, "sticker", *wrong))
            await raises(NotFound, ask(store, "rename_sticker", *wrong, "Wrong"))
            await raises(NotFound, ask(store, "delete_sticker", *wrong))
        assert await ask(store, "edits") == edits + 1
        await ask(store, "delete_sticker", pack.id, first.id)
        await raises(NotFound, ask(store, "sticker", pack.id, first.id))
        assert await ask(store, "stickers", pack.id) == [second]
        await ask(store, "delete_sticker", pack.id, second.id)
        await ask(store, "delete_pack", pack.id)
        assert (await counters(store)).stickers == before.stickers


async def test_hostile_texts_are_only_texts(bench: Bench) -> None:
    async with bench.store() as store:
        before = await counters(store)
        for text in HOSTILE:
            title = unique(text)
            pack = await ask(store, "create_pack", title)
            sticker = await ask(store, "create_sticker", pack.id, text)
            assert (await ask(store, "pack", pack.id)).title == title
            assert (await ask(store, "sticker", pack.id, sticker.id)).title == text
            await raises(Conflict, ask(store, "create_pack", title))
            await ask(store, "rename_sticker", pack.id, sticker.id, text[::-1])
            assert (await ask(store, "stickers", pack.id))[0].title == text[::-1]
            await ask(store, "delete_sticker", pack.id, sticker.id)
            await ask(store, "delete_pack", pack.id)
        after = await counters(store)
        assert after[:2] == before[:2]


async def test_hostile_visitors_are_only_visitors(bench: Bench) -> None:
    async with bench.store() as store, bench.insider(store) as insider:
        before = await counters(store)
        for text in HOSTILE:
            ballot = await new_ballot(store, (None, text, text))
            assert await insider.session(ballot.session) == (text, text, 1)
            assert await vote(store, text, text) is False
            assert await vote(store, ballot.left_token, text) is False
            forged = unique(text)
            await new_ballot(store, (forged, "127.0.0.1", "a test"))
            assert await insider.session(forged) == ("127.0.0.1", "a test", 1)
        after = await counters(store)
        assert after[:2] == before[:2]
        assert after.votes == before.votes
