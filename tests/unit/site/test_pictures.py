"""Pictures: a well-formed creature of its own for every number."""

from __future__ import annotations

import re
from collections import Counter
from xml.etree import ElementTree

import pytest

from handlers.pictures import picture

NUMBERS = range(1, 401)


def parse(svg: bytes) -> ElementTree.Element:
    return ElementTree.fromstring(svg)  # noqa: S314 - our own output


@pytest.mark.parametrize("number", [0, 1, 404, 16_200, 2**31 - 1, 10**30])
def test_every_number_has_a_picture(number: int) -> None:
    root = parse(picture(number))
    assert root.tag == "{http://www.w3.org/2000/svg}svg"


def test_pictures_are_well_formed_small_and_of_this_host() -> None:
    for number in NUMBERS:
        svg = picture(number)
        root = parse(svg)
        assert 1_000 < len(svg) < 4_000
        ids = [element.get("id") for element in root.iter() if element.get("id")]
        assert len(ids) == len(set(ids))
        links = [element.get("href", "") for element in root.iter() if "href" in element.attrib]
        assert links
        assert {link[1:] for link in links} <= set(ids)
        assert re.findall(rb"https?://[^\"]*", svg) == [b"http://www.w3.org/2000/svg"]
        assert not re.search(rb"<style|<script|style=|None|[{}|;]", svg)


def test_pictures_differ() -> None:
    assert len({picture(number) for number in NUMBERS}) == len(NUMBERS)


def test_pictures_differ_by_more_than_a_detail() -> None:
    """Every palette and every outline occurs, and none on more than a fair share of stickers."""
    palettes: Counter[bytes] = Counter()
    bodies: Counter[bytes] = Counter()
    for number in NUMBERS:
        svg = picture(number)
        palettes[b"".join(re.findall(rb'(?:stroke|fill)="(#[0-9a-f]{6})"', svg)[:3])] += 1
        bodies[re.findall(rb'id="b" d="([^"]+)"', svg)[0]] += 1
    assert len(bodies) >= 12
    assert len(palettes) >= 20
    assert max(palettes.values()) < len(NUMBERS) / 10
    assert max(bodies.values()) < len(NUMBERS) / 8


def test_a_picture_depends_on_the_number_alone() -> None:
    before = [picture(number) for number in (5, 6, 7)]
    picture.cache_clear()
    assert [picture(number) for number in (7, 6, 5)] == before[::-1]
