"""The pages that show packs and stickers, to everybody."""

from __future__ import annotations

import contextlib
import re
from typing import Any, Iterator, List, NamedTuple, Optional, Sequence

from data_interface.store import NotFound
from handlers.api import NO_SUCH, id_of
from handlers.exchange import Page, Visit
from handlers.manage.desk import HOME, Desk

ON_A_PAGE = 30
NO_PACK, NO_STICKER = NO_SUCH
DONE = {
    "created": "It has been created.",
    "saved": "It has been saved.",
    "deleted": "It has been deleted.",
}
_QUERY = re.compile(r"(?:page=([1-9][0-9]{0,5}))?(?:done=([a-z]+))?")


class Paging(NamedTuple):
    """One page of a list. ``links`` are numbers of pages, None where some are left out."""

    items: Sequence[Any]
    number: int
    last: int
    links: List[Optional[int]]


class Reading:
    """The list of packs, a pack, a sticker."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def packs(self, visit: Visit) -> Page:
        """Show all packs, some on each page."""
        async with self._desk.store.acquire() as data:
            found = await data.packs()
        paging, done = paged(visit, found), done_of(visit)
        return self._desk.page(visit, "packs", HOME, paging=paging, done=done)

    async def pack(self, visit: Visit) -> Page:
        """Show a pack and its stickers."""
        number = id_of(visit, 0)
        with called(NO_PACK):
            async with self._desk.store.acquire() as data:
                pack, stickers = await data.pack(number), await data.stickers(number)
        paging, done = paged(visit, stickers), done_of(visit)
        here = place_of(number)
        return self._desk.page(visit, "pack", here, pack=pack, paging=paging, done=done)

    async def sticker(self, visit: Visit) -> Page:
        """Show a sticker and its votes."""
        numbers = id_of(visit, 0), id_of(visit, 1)
        with called(NO_STICKER):
            async with self._desk.store.acquire() as data:
                sticker = await data.sticker(*numbers)
        here, done = place_of(*numbers), done_of(visit)
        return self._desk.page(visit, "sticker", here, sticker=sticker, done=done)


def place_of(pack: int, sticker: Optional[int] = None) -> str:
    """Return the address of a pack, or of a sticker in it."""
    return f"/manage/pack/{pack}" if sticker is None else f"/manage/sticker/{pack}/{sticker}"


@contextlib.contextmanager
def called(missing: str) -> Iterator[None]:
    """Say in the same words on every store what there is not."""
    try:
        yield
    except NotFound:
        raise NotFound(missing) from None


def done_of(visit: Visit) -> str:
    """Return what was done by the form that led here, or nothing."""
    match = _QUERY.fullmatch(visit.query)
    return DONE.get(match.group(2) or "", "") if match else ""


def paged(visit: Visit, found: Sequence[Any]) -> Paging:
    """Return the page of a list that the query asks for. Raise ``NotFound`` if it has none."""
    match = _QUERY.fullmatch(visit.query)
    number = int(match.group(1) or 1) if match else 1
    last = max(1, -(-len(found) // ON_A_PAGE))
    if number > last:
        raise NotFound("The list has no such page.")
    items = found[(number - 1) * ON_A_PAGE : number * ON_A_PAGE]
    shown = sorted({1, last, *range(max(1, number - 2), min(last, number + 2) + 1)})
    links: List[Optional[int]] = []
    for place in shown:
        if links and place - (links[-1] or 0) > 1:
            links.append(None)
        links.append(place)
    return Paging(items, number, last, links)
