"""The JSON API over HTTP: every operation, every status."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.engines import (
    EACH_BACKEND,
    ON_EACH_WEB,
    ON_MEMORY,
    PAIRED,
    Starter,
    on,
    with_each,
)
from tests.support.site_client import ask, change, get
from tests.support.site_server import TOKEN, SiteServer, environment, serving

JSON = "application/json"


@pytest.fixture
def pack(site: SiteServer) -> Iterator[dict[str, Any]]:
    """A new, empty pack; removed with what is in it."""
    answer = change(site.url, "POST", "/stickers", {"title": f"Pack {secrets.token_hex(8)}"}, TOKEN)
    assert answer.status == 201
    made: dict[str, Any] = answer.json()
    assert answer.headers["location"] == f"/stickers/{made['id']}"
    yield made
    path = f"/stickers/{made['id']}"
    for one in get(site.url, path).json().get("stickers", []):
        assert change(site.url, "DELETE", f"{path}/{one['id']}", None, TOKEN).status == 204
    assert change(site.url, "DELETE", path, None, TOKEN).status in (204, 404)


@on(ON_EACH_WEB, others=PAIRED)
def test_reading(site: SiteServer, reference: SiteServer) -> None:
    packs = get(site.url, "/stickers").json()["packs"]
    assert packs[:540] == get(reference.url, "/stickers").json()["packs"][:540]
    found, model = (get(one.url, "/stickers/7").json() for one in (site, reference))
    names = ("id", "pack", "title", "picture")
    assert {name: found[name] for name in ("id", "title")} == packs[6]
    assert [[one[name] for name in names] for one in found["stickers"]] == [
        [one[name] for name in names] for one in model["stickers"]
    ]
    for one in found["stickers"][:3]:
        assert get(site.url, f"/stickers/7/{one['id']}").json() == one
        assert get(site.url, one["picture"]).status == 200
        assert one["rating"] == one["up"] - one["down"]


@on(ON_EACH_WEB, others=PAIRED)
def test_a_pack_from_its_beginning_to_its_end(site: SiteServer, pack: dict[str, Any]) -> None:
    path = f"/stickers/{pack['id']}"
    assert get(site.url, path).json() == {**pack, "stickers": []}
    assert pack in get(site.url, "/stickers").json()["packs"]
    title = f"Ünïcode 🦊 {secrets.token_hex(8)}"
    renamed = change(site.url, "PUT", path, {"title": f"  {title} "}, TOKEN)
    assert (renamed.status, renamed.json()) == (200, {"id": pack["id"], "title": title})
    assert get(site.url, path).json()["title"] == title
    assert change(site.url, "PUT", path, {"title": title}, TOKEN).status == 200
    gone = change(site.url, "DELETE", path, None, TOKEN)
    assert (gone.status, gone.body) == (204, b"")
    for method in ("GET", "PUT", "DELETE", "POST"):
        assert change(site.url, method, path, {"title": "x"}, TOKEN).status == 404, method


@on([*ON_EACH_WEB, *EACH_BACKEND], others=PAIRED)
def test_a_sticker_from_its_beginning_to_its_end(site: SiteServer, pack: dict[str, Any]) -> None:
    made = change(site.url, "POST", f"/stickers/{pack['id']}", {"title": "Shy Bat"}, TOKEN)
    one = made.json()
    path = f"/stickers/{pack['id']}/{one['id']}"
    assert (made.status, made.headers["location"]) == (201, path)
    assert one == {
        "id": one["id"],
        "pack": pack["id"],
        "title": "Shy Bat",
        "rating": 0,
        "up": 0,
        "down": 0,
        "picture": f"/pictures/{one['id']}.svg",
    }
    assert get(site.url, path).json() == one
    assert get(site.url, f"/stickers/{pack['id']}").json()["stickers"] == [one]
    renamed = change(site.url, "PUT", path, {"title": "Sly Bat"}, TOKEN)
    assert (renamed.status, renamed.json()) == (200, {**one, "title": "Sly Bat"})
    elsewhere = f"/stickers/1/{one['id']}"
    for method in ("GET", "PUT", "DELETE"):
        assert change(site.url, method, elsewhere, {"title": "x"}, TOKEN).status == 404
    full = change(site.url, "DELETE", f"/stickers/{pack['id']}", None, TOKEN)
    assert (full.status, list(full.json())) == (409, ["error"])
    assert change(site.url, "DELETE", path, None, TOKEN).status == 204
    for method in ("GET", "PUT", "DELETE"):
        assert change(site.url, method, path, {"title": "x"}, TOKEN).status == 404


@on(ON_EACH_WEB, others=PAIRED)
def test_a_body_that_is_no_title_is_400(site: SiteServer) -> None:
    for body in (b"", b'{"title": "\xff"}', b"[" * 60_000, bytes(range(256))):
        for method, path in (("POST", "/stickers"), ("PUT", "/stickers/1")):
            answer = ask(
                site.url, method, path, body, Content_Type=JSON, Authorization=f"Bearer {TOKEN}"
            )
            assert (answer.status, list(answer.json())) == (400, ["error"]), (method, body[:40])


@on([*ON_MEMORY[:1], *EACH_BACKEND])
def test_what_is_not_there_is_called_by_its_name(site: SiteServer) -> None:
    for path, what in (
        ("/stickers/none", "pack"),
        ("/stickers/99999", "pack"),
        ("/stickers/1/none", "sticker"),
        ("/stickers/1/99999", "sticker"),
    ):
        answer = get(site.url, path)
        assert answer.status == 404
        # A store may say its number.
        assert re.match(rf"There is no (such )?{what}\b", answer.json()["error"]), path


CHANGES = (
    ("POST", "/stickers"),
    ("PUT", "/stickers/1"),
    ("DELETE", "/stickers/1"),
    ("POST", "/stickers/1"),
    ("PUT", "/stickers/1/1"),
    ("DELETE", "/stickers/1/1"),
)


@on(ON_EACH_WEB, others=PAIRED)
def test_without_the_right_token_it_is_401(site: SiteServer) -> None:
    for method, path in CHANGES:
        for given in (None, f"Bearer {TOKEN}x", "Bearer ünïcode", "Bearer \xff\xfe"):
            headers = {} if given is None else {"Authorization": given}
            answer = ask(site.url, method, path, b'{"title": "x"}', **headers)
            assert (answer.status, list(answer.json())) == (401, ["error"]), given
            assert answer.headers["www-authenticate"] == "Bearer"


@with_each(ON_MEMORY[:1])
def test_without_a_token_in_the_environment_it_is_403(starter: Starter, engine: str) -> None:
    starter.ready(engine)
    with serving(engine, environment()) as server:
        answer = change(server.url, "POST", "/stickers", {"title": "x"}, TOKEN)
        assert (answer.status, list(answer.json())) == (403, ["error"])
        assert len(get(server.url, "/stickers").json()["packs"]) == 540
