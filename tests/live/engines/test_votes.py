"""Votes over HTTP: exactly once, whatever arrives, however often and in whatever order."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from tests.support.engines import (
    EACH_BACKEND,
    ON_MEMORY,
    PAIRED,
    on,
)
from tests.support.html import SECURITY
from tests.support.site_client import FORM, Answer, Ballot, Client, ask, ballot, sticker, vote
from tests.support.site_server import SiteServer

AT_ONCE = 50
COUNTED, REFUSED = (303, "/?voted=1"), (303, "/?voted=0")


def outcome(answer: Answer) -> tuple[int, str]:
    return answer.status, answer.headers.get("location", "")


def tally(site: SiteServer, found: Ballot) -> list[int]:
    """Up and down of both stickers of a ballot."""
    both = [sticker(site.url, number) for number in (found.left, found.right)]
    assert all(one["rating"] == one["up"] - one["down"] for one in both)
    return [one[name] for one in both for name in ("up", "down")]


@on([*ON_MEMORY, *EACH_BACKEND], others=PAIRED)
def test_a_ballot_counts_once_for_the_sticker_that_was_picked(site: SiteServer) -> None:
    for swap, expected in ((False, [1, 0, 0, 1]), (True, [0, 1, 1, 0])):
        found = ballot(site.url)
        before = tally(site, found)
        picked = (found.minus, found.plus) if swap else (found.plus, found.minus)
        answers = [outcome(vote(site.url, *picked)) for _ in range(3)]
        answers.append(outcome(vote(site.url, *picked[::-1])))
        assert answers == [COUNTED, REFUSED, REFUSED, REFUSED]
        changed = [after - was for after, was in zip(tally(site, found), before, strict=True)]
        assert changed == expected


@on([*ON_MEMORY, *EACH_BACKEND], others=PAIRED)
def test_50_at_once_with_the_same_ballot_count_once(site: SiteServer) -> None:
    found = ballot(site.url)
    before = tally(site, found)
    clients = [Client(site.url) for _ in range(AT_ONCE)]
    form = f"vote_plus={found.plus}&vote_minus={found.minus}".encode()
    try:
        for client in clients:
            assert client.ask("GET", "/ugly").status == 200  # connected before the votes start
        with ThreadPoolExecutor(AT_ONCE) as pool:
            asked = [
                pool.submit(one.ask, "POST", "/", form, {"Content-Type": FORM}) for one in clients
            ]
            answers = [outcome(answer.result()) for answer in asked]
    finally:
        for client in clients:
            client.close()
    # A pool that is too small for all voters may turn somebody away, but never count twice.
    assert answers.count(COUNTED) == 1
    assert set(answers) <= {COUNTED, REFUSED, (503, "")}
    assert answers.count(REFUSED) >= 1
    changed = [after - was for after, was in zip(tally(site, found), before, strict=True)]
    assert changed == [1, 0, 0, 1]


CHANGED: dict[str, Callable[[Ballot, Ballot], tuple[str, str]]] = {
    "both unknown": lambda one, other: (secrets.token_hex(16), secrets.token_hex(16)),
    "one unknown": lambda one, other: (one.plus, secrets.token_hex(16)),
    "other unknown": lambda one, other: (secrets.token_hex(16), one.minus),
    "of two ballots": lambda one, other: (one.plus, other.minus),
    "plus twice": lambda one, other: (one.plus, one.plus),
    "minus twice": lambda one, other: (one.minus, one.minus),
}


@on([*ON_MEMORY[:1], *EACH_BACKEND])
def test_wrong_tokens_are_refused_and_change_nothing(site: SiteServer) -> None:
    for how, changed in CHANGED.items():
        one, other = ballot(site.url), ballot(site.url)
        before = tally(site, one) + tally(site, other)
        assert outcome(vote(site.url, *changed(one, other))) == REFUSED, how
        assert tally(site, one) + tally(site, other) == before, how
        # Nor does the attempt use up the tokens that were right.
        assert outcome(vote(site.url, one.plus, one.minus)) == COUNTED, how
        assert outcome(vote(site.url, other.plus, other.minus)) == COUNTED, how


def _form(plus: str, minus: str) -> bytes:
    return f"vote_plus={plus}&vote_minus={minus}".encode()


@on(ON_MEMORY, others=PAIRED)
def test_what_is_no_vote_is_400(site: SiteServer) -> None:
    found = ballot(site.url)
    before = tally(site, found)
    for body in (
        b"",
        b"vote_plus=\xff\xfe&vote_minus=\x80" + found.minus.encode(),
        bytes(range(256)),
        _form("<script>alert(1)</script>", found.minus),
        b"a=1&" * 10_000 + _form(found.plus, found.minus),
    ):
        answer = ask(site.url, "POST", "/", body, Content_Type=FORM)
        assert answer.status == 400, body[:30]
        assert answer.headers["content-type"] == "text/html; charset=utf-8"
        assert {name: answer.headers.get(name) for name in SECURITY} == SECURITY
        assert b"alert(1)" not in answer.body
    assert tally(site, found) == before
    assert outcome(vote(site.url, found.plus, found.minus)) == COUNTED


@on(ON_MEMORY, others=PAIRED)
def test_a_form_without_its_type_or_with_another_one_is_read_all_the_same(site: SiteServer) -> None:
    for kind in ("text/plain", "multipart/form-data", FORM + "; charset=latin-1"):
        found = ballot(site.url)
        answer = ask(site.url, "POST", "/", _form(found.plus, found.minus), Content_Type=kind)
        assert outcome(answer) == COUNTED, kind
