"""The pages that create, read, update and delete packs and stickers, without JavaScript.

Everybody may read. Who changes something logs in with SITE_TOKEN; without one, forms and log-in are
off. ``docs/manage.md`` describes log-ins, forms and statuses.
"""

from __future__ import annotations

from typing import Any, Callable, List, Optional, Tuple

from data_interface.store import Store
from handlers.manage.changing import Changing
from handlers.manage.desk import Desk
from handlers.manage.reading import Reading
from handlers.render.renderer import Renderer


def responses(
    store: Store, renderer: Renderer, token: Optional[str]
) -> List[Tuple[str, str, Callable[..., Any]]]:
    """Return (method, path, function of the visit) of every page under ``/manage``."""
    desk = Desk(store, renderer, token)
    reading, changing = Reading(desk), Changing(desk)
    pack, sticker = "/manage/pack/{pack}", "/manage/sticker/{pack}/{sticker}"
    return [
        ("GET", "/manage", reading.packs),
        ("GET", pack, reading.pack),
        ("GET", sticker, reading.sticker),
        ("GET", "/manage/login", desk.ask_for_token),
        ("POST", "/manage/login", desk.log_in),
        ("POST", "/manage/logout", desk.log_out),
        ("GET", "/manage/new", changing.new_pack),
        ("POST", "/manage/new", changing.create_pack),
        ("GET", f"{pack}/edit", changing.edit_pack),
        ("POST", f"{pack}/edit", changing.rename_pack),
        ("GET", f"{pack}/delete", changing.ask_about_pack),
        ("POST", f"{pack}/delete", changing.delete_pack),
        ("GET", f"{pack}/new", changing.new_sticker),
        ("POST", f"{pack}/new", changing.create_sticker),
        ("GET", f"{sticker}/edit", changing.edit_sticker),
        ("POST", f"{sticker}/edit", changing.rename_sticker),
        ("GET", f"{sticker}/delete", changing.ask_about_sticker),
        ("POST", f"{sticker}/delete", changing.delete_sticker),
    ]
