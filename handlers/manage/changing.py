"""The forms that create, edit and delete packs and stickers.

A form that cannot be carried out is shown again, with what was typed and what is wrong. The answer
to one that was carried out leads to another page, so that reloading that page repeats nothing.
"""

from __future__ import annotations

from typing import Any, Awaitable, Callable, NamedTuple, Optional

from data_interface.store import TITLE_LENGTH, Conflict, Data, NotFound, StoreError
from handlers.api import id_of
from handlers.exchange import Page, Visit, redirect
from handlers.manage.desk import HOME, Desk, Fault
from handlers.manage.reading import NO_PACK, NO_STICKER, called, place_of
from handlers.refusals import refusal

TAKEN = "Another pack has that title."
FULL = "The pack still has stickers. Delete them first."
SENT_BEFORE = "This form was sent before. Look whether it was carried out; if not, send it again."
IN_DOUBT = "{} It is not certain whether the change was saved."
GONE = "{} It may have been deleted before."

CREATED, SAVED, DELETED = "created", "saved", "deleted"


class Form(NamedTuple):
    """A form: its heading, its own address, where Cancel leads, and what it does (``done``).

    ``missing`` is what there is not if the store finds nothing, ``pack`` the pack of a sticker, and
    ``picture`` the sticker's number.
    """

    heading: str
    here: str
    back: str
    done: str
    missing: str = NO_PACK
    pack: Optional[int] = None
    picture: Optional[int] = None


class Changing:
    """Each form is shown by one method, and carried out by the next."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    def new_pack(self, visit: Visit) -> Page:
        form = _new_pack()
        return self._desk.turned_away(visit, form.here) or self._shown(visit, form, "")

    async def create_pack(self, visit: Visit) -> Page:
        async def create(data: Data, title: str) -> str:
            return place_of((await data.create_pack(title)).id)

        return await self._sent(visit, _new_pack(), create)

    async def edit_pack(self, visit: Visit) -> Page:
        number = id_of(visit, 0)
        return await self._opened(visit, _edit_pack(number), lambda data: data.pack(number))

    async def rename_pack(self, visit: Visit) -> Page:
        number = id_of(visit, 0)

        async def rename(data: Data, title: str) -> str:
            return place_of((await data.rename_pack(number, title)).id)

        return await self._sent(visit, _edit_pack(number), rename)

    async def ask_about_pack(self, visit: Visit) -> Page:
        number = id_of(visit, 0)
        return await self._opened(visit, _delete_pack(number), lambda data: data.pack(number))

    async def delete_pack(self, visit: Visit) -> Page:
        number = id_of(visit, 0)

        async def delete(data: Data, _: str) -> str:
            await data.delete_pack(number)
            return HOME

        return await self._sent(visit, _delete_pack(number), delete)

    def new_sticker(self, visit: Visit) -> Page:
        form = _new_sticker(id_of(visit, 0))
        return self._desk.turned_away(visit, form.here) or self._shown(visit, form, "")

    async def create_sticker(self, visit: Visit) -> Page:
        number = id_of(visit, 0)

        async def create(data: Data, title: str) -> str:
            return place_of(number, (await data.create_sticker(number, title)).id)

        return await self._sent(visit, _new_sticker(number), create)

    async def edit_sticker(self, visit: Visit) -> Page:
        numbers = id_of(visit, 0), id_of(visit, 1)
        form = _edit_sticker(*numbers)
        return await self._opened(visit, form, lambda data: data.sticker(*numbers))

    async def rename_sticker(self, visit: Visit) -> Page:
        numbers = id_of(visit, 0), id_of(visit, 1)

        async def rename(data: Data, title: str) -> str:
            await data.rename_sticker(*numbers, title)
            return place_of(*numbers)

        return await self._sent(visit, _edit_sticker(*numbers), rename)

    async def ask_about_sticker(self, visit: Visit) -> Page:
        numbers = id_of(visit, 0), id_of(visit, 1)
        form = _delete_sticker(*numbers)
        return await self._opened(visit, form, lambda data: data.sticker(*numbers))

    async def delete_sticker(self, visit: Visit) -> Page:
        numbers = id_of(visit, 0), id_of(visit, 1)

        async def delete(data: Data, _: str) -> str:
            await data.delete_sticker(*numbers)
            return place_of(numbers[0])

        return await self._sent(visit, _delete_sticker(*numbers), delete)

    async def _opened(
        self, visit: Visit, form: Form, ask: Callable[[Data], Awaitable[Any]]
    ) -> Page:
        """Show a form with the title of what it is about."""
        away = self._desk.turned_away(visit, form.here)
        if away:
            return away
        with called(form.missing):
            async with self._desk.store.acquire() as data:
                found = await ask(data)
        return self._shown(visit, form, found.title)

    async def _sent(
        self, visit: Visit, form: Form, change: Callable[[Data, str], Awaitable[str]]
    ) -> Page:
        """Carry out a form and go to the page that ``change`` returns, or show what is wrong."""
        fields, fault = self._desk.received(visit)
        typed = fields.get("title", "")
        if fault is None and form.done != DELETED:
            fault = _title_fault(typed.strip())
        if fault is None and form.done == CREATED and not self._desk.first_time(fields):
            fault = Fault(409, SENT_BEFORE)
        if fault is None:
            try:
                async with self._desk.store.acquire() as data:
                    target = await change(data, typed.strip())
                return redirect(f"{target}?done={form.done}")
            except StoreError as error:
                fault = _store_fault(error, form)
        return self._shown(visit, form, typed, fault)

    def _shown(self, visit: Visit, form: Form, title: str, fault: Optional[Fault] = None) -> Page:
        view = "delete" if form.done == DELETED else "form"
        return self._desk.page(visit, view, form.here, fault, it=form, title=title)


def _new_pack() -> Form:
    return Form("New pack", "/manage/new", HOME, CREATED)


def _edit_pack(number: int) -> Form:
    place = place_of(number)
    return Form(f"Edit pack {number}", f"{place}/edit", place, SAVED)


def _delete_pack(number: int) -> Form:
    place = place_of(number)
    return Form(f"Delete pack {number}?", f"{place}/delete", place, DELETED)


def _new_sticker(pack: int) -> Form:
    place = place_of(pack)
    return Form("New sticker", f"{place}/new", place, CREATED, NO_PACK, pack)


def _edit_sticker(pack: int, number: int) -> Form:
    place, heading = place_of(pack, number), f"Edit sticker {number}"
    return Form(heading, f"{place}/edit", place, SAVED, NO_STICKER, pack, number)


def _delete_sticker(pack: int, number: int) -> Form:
    place, heading = place_of(pack, number), f"Delete sticker {number}?"
    return Form(heading, f"{place}/delete", place, DELETED, NO_STICKER, pack, number)


def _title_fault(title: str) -> Optional[Fault]:
    """Return what is wrong with a title, by the rules of the JSON API."""
    if not title:
        return Fault(400, beside="A title is needed.")
    if len(title) > TITLE_LENGTH:
        text = f"A title has at most {TITLE_LENGTH} characters; this one has {len(title)}."
        return Fault(400, beside=text)
    if not title.isprintable():
        return Fault(400, beside="A title consists of printable characters.")
    return None


def _store_fault(error: StoreError, form: Form) -> Fault:
    """Return what the store's refusal of a change means for its form."""
    if isinstance(error, NotFound):
        return Fault(404, GONE.format(form.missing))
    if isinstance(error, Conflict):
        return Fault(409, FULL) if form.done == DELETED else Fault(409, beside=TAKEN)
    status, _, message, extra = refusal(error)
    return Fault(status, IN_DOUBT.format(message), extra=extra)
