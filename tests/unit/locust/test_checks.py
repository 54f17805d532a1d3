"""Checks of pages as the site really renders them: forms, headings, lists."""

from __future__ import annotations

import pytest

from data_interface.store import Statistics, Sticker
from handlers.render.jinja import JinjaRenderer
from handlers.render.reports import CHAPTERS
from locustfiles.pages import checks
from locustfiles.pages.ballot import read_ballot

PLUS, MINUS = "a" * 32, "b" * 32
PAGES = JinjaRenderer("aiohttp-memory-one", "3.13.0")
STICKERS = [Sticker(number, 1, f"Sticker {number}", 0, 0, 0) for number in range(1, 11)]
LEFT, RIGHT = {"vote_plus": PLUS, "vote_minus": MINUS}, {"vote_plus": MINUS, "vote_minus": PLUS}


def index(notice: str | None = None) -> str:
    ballot = "c" * 32, STICKERS[0], PLUS, STICKERS[1], MINUS
    return PAGES.index(ballot, notice).decode()


def test_the_forms_of_index_are_read_as_they_are_sent() -> None:
    assert read_ballot(index()) == [LEFT, RIGHT]


@pytest.mark.parametrize(
    "html",
    [
        "",
        "<h1>Which one sticks?</h1>",
        index().replace('value="' + MINUS, 'value="'),
        index().replace('action="/"', 'action="/elsewhere"'),
        index().replace("vote_minus", "vote_other"),
        index().replace(
            f'name="vote_plus" value="{MINUS}"', f'name="vote_plus" value="{"d" * 32}"'
        ),
    ],
    ids=["empty", "none", "no token", "elsewhere", "no field", "two ballots"],
)
def test_what_is_no_whole_ballot_is_none(html: str) -> None:
    assert read_ballot(html) == []
    assert checks.ballot(html) == "no ballot"


def test_a_vote_that_counted_is_told_from_one_that_did_not() -> None:
    assert checks.counted(index("counted")) is None
    assert checks.counted(index("refused")) == "the vote was not counted"
    assert checks.counted(index()) == "the vote was not counted"
    assert checks.ballot(index("counted")) is None


def test_a_report_has_its_own_heading_and_link() -> None:
    assert tuple(chapter.title for chapter in CHAPTERS.values()) == checks.REPORTS
    assert [chapter.number for chapter in CHAPTERS.values()] == [1, 2, 3, 4, 5]
    page = f'<h1>{checks.REPORTS[2]}</h1><a href="/reports/3" aria-current="page">'
    assert checks.report(3)(page) is None
    assert checks.report(1)(page) == "no heading 'Today'"
    assert checks.report(3)(page.replace("/3", "/1")) == "not marked as report 3"


@pytest.mark.parametrize(("best", "heading"), [(True, "The Good"), (False, "The Bad")])
def test_nine_under_the_right_heading(best: bool, heading: str) -> None:
    page = PAGES.top(STICKERS[:9], best).decode()
    assert checks.top(heading)(page) is None
    assert checks.top("The Ugly")(page) == "no heading 'The Ugly'"
    assert checks.top(heading)(PAGES.top(STICKERS[:8], best).decode()) == "not 9 stickers"


def test_about_and_any_heading() -> None:
    page = PAGES.about(Statistics(1, 2, 3, 4, 5)).decode()
    assert checks.has_heading("About")(page) is None
    assert checks.has_heading("About")("UGLY") == "no heading 'About'"


def test_json_of_the_api() -> None:
    assert checks.members("packs")({"packs": [{"id": 1}]}) is None
    assert checks.members("packs")({"packs": []}) == "no packs"
    assert checks.members("packs")([]) == "no packs"
    assert checks.members("packs")({"packs": [{}]}) == "packs without an id"
    assert checks.numbered(3)({"id": 3}) is None
    assert checks.numbered(3)({"id": 4}) == checks.numbered(3)([3]) == "the wrong one"
