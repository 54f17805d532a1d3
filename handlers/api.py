"""The JSON API: packs and stickers, to read for everybody, to change with a bearer token."""

from __future__ import annotations

import hmac
import json
import re
from typing import Any, Dict, Optional

from data_interface.store import TITLE_LENGTH, NotFound, Sticker, Store
from handlers.exchange import JSON, Page, Visit, json_page, page

MOST_ID = 2**31 - 1
# The messages for a first and for a second parameter that is no number.
NO_SUCH = ("There is no such pack.", "There is no such sticker in that pack.")
_NUMBER = re.compile(r"[0-9]{1,10}")


class ApiError(Exception):
    """The request cannot be carried out: an HTTP status and one line."""

    def __init__(self, status: int, message: str, extra: Optional[Dict[str, str]] = None) -> None:
        super().__init__(message)
        self.status = status
        self.extra = extra


class Api:
    """The pages under ``/stickers``. If ``token`` is None, they allow no changes."""

    def __init__(self, store: Store, token: Optional[str]) -> None:
        self._store = store
        self._token = token

    async def packs(self, visit: Visit) -> Page:
        async with self._store.acquire() as data:
            packs = await data.packs()
        return json_page({"packs": [pack._asdict() for pack in packs]})

    async def pack(self, visit: Visit) -> Page:
        async with self._store.acquire() as data:
            pack = await data.pack(id_of(visit, 0))
            stickers = await data.stickers(pack.id)
        return json_page(dict(pack._asdict(), stickers=[_sticker(one) for one in stickers]))

    async def sticker(self, visit: Visit) -> Page:
        async with self._store.acquire() as data:
            sticker = await data.sticker(id_of(visit, 0), id_of(visit, 1))
        return json_page(_sticker(sticker))

    async def create_pack(self, visit: Visit) -> Page:
        title = self._title(visit)
        async with self._store.acquire() as data:
            pack = await data.create_pack(title)
        return _created(pack._asdict(), f"/stickers/{pack.id}")

    async def rename_pack(self, visit: Visit) -> Page:
        title = self._title(visit)
        async with self._store.acquire() as data:
            pack = await data.rename_pack(id_of(visit, 0), title)
        return json_page(pack._asdict())

    async def delete_pack(self, visit: Visit) -> Page:
        self._check_token(visit)
        async with self._store.acquire() as data:
            await data.delete_pack(id_of(visit, 0))
        return page(b"", JSON, 204)

    async def create_sticker(self, visit: Visit) -> Page:
        title = self._title(visit)
        async with self._store.acquire() as data:
            sticker = await data.create_sticker(id_of(visit, 0), title)
        return _created(_sticker(sticker), f"/stickers/{sticker.pack}/{sticker.id}")

    async def rename_sticker(self, visit: Visit) -> Page:
        title = self._title(visit)
        async with self._store.acquire() as data:
            sticker = await data.rename_sticker(id_of(visit, 0), id_of(visit, 1), title)
        return json_page(_sticker(sticker))

    async def delete_sticker(self, visit: Visit) -> Page:
        self._check_token(visit)
        async with self._store.acquire() as data:
            await data.delete_sticker(id_of(visit, 0), id_of(visit, 1))
        return page(b"", JSON, 204)

    def _check_token(self, visit: Visit) -> None:
        if self._token is None:
            raise ApiError(403, "Changes are off: start the server with SITE_TOKEN set.")
        # Not every framework drops the blanks behind a header.
        given = (visit.authorization or "").rstrip(" \t").encode("utf-8", "replace")
        # In constant time, so that the delay of the answer tells nothing about the token.
        if not hmac.compare_digest(given, b"Bearer " + self._token.encode()):
            raise ApiError(401, "A valid bearer token is needed.", {"WWW-Authenticate": "Bearer"})

    def _title(self, visit: Visit) -> str:
        self._check_token(visit)
        try:
            value = json.loads(visit.body.decode("utf-8"))
        except (ValueError, RecursionError):
            raise ApiError(400, "The body must be JSON in UTF-8.") from None
        title = value.get("title") if isinstance(value, dict) else None
        if not isinstance(title, str) or not 0 < len(title.strip()) <= TITLE_LENGTH:
            raise ApiError(400, f'The body must be {{"title": "1 to {TITLE_LENGTH} characters"}}.')
        if not title.isprintable():
            raise ApiError(400, "The title must consist of printable characters.")
        return title.strip()


def api_error(status: int, message: str, extra: Optional[Dict[str, str]] = None) -> Page:
    """Return an error as JSON."""
    return json_page({"error": message}, status, extra)


def id_of(visit: Visit, position: int) -> int:
    """Return a parameter of the path as an id. Raise ``NotFound`` if it is none."""
    text = visit.params[position]
    if not _NUMBER.fullmatch(text) or int(text) > MOST_ID:
        raise NotFound(NO_SUCH[position])
    return int(text)


def _sticker(sticker: Sticker) -> Dict[str, Any]:
    return dict(sticker._asdict(), picture=f"/pictures/{sticker.id}.svg")


def _created(value: Dict[str, Any], location: str) -> Page:
    return json_page(value, 201, {"Location": location})
