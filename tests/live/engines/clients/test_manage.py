"""The pages under /manage over HTTP, as a browser without JavaScript asks for them."""

from __future__ import annotations

import http.client
import re
import secrets
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import urlencode

import pytest

from handlers.engine import parse
from handlers.manage.shared import ATTEMPTS_AT_ONCE
from tests.support.engines import EACH_BACKEND, EACH_WEB, ON_MEMORY, Starter, on, with_each
from tests.support.html import SECURITY, masked
from tests.support.site_client import (
    FORM,
    Answer,
    Client,
    Manager,
    ask,
    change,
    get,
    raw,
    read_form,
)
from tests.support.site_server import TOKEN, SiteServer, environment, serving

NASTY = "<script>alert(1)</script>'; DROP TABLE stickers; -- 🦊"
ESCAPED = "&lt;script&gt;alert(1)&lt;/script&gt;&#39;; DROP TABLE stickers; -- 🦊"
AT_ONCE = 12
# On an event loop of ours, and japronto's own.
WORKERS = [name for name in EACH_WEB if parse(name).web in ("aiohttp", "japronto")]


@pytest.fixture
def manager(site: SiteServer) -> Manager:
    """A manager who is logged in."""
    found = Manager(site.url)
    answer = found.log_in(TOKEN)
    assert (answer.status, answer.headers["location"], answer.body) == (303, "/manage", b"")
    assert re.fullmatch(
        r"manager=[0-9a-f.]+; Path=/manage; HttpOnly; SameSite=Strict", answer.headers["set-cookie"]
    )
    return found


@pytest.fixture
def pack(site: SiteServer) -> Iterator[int]:
    """A new, empty pack; removed with what is in it."""
    made = change(site.url, "POST", "/stickers", {"title": f"Pack {secrets.token_hex(8)}"}, TOKEN)
    path = f"/stickers/{made.json()['id']}"
    yield made.json()["id"]
    for one in get(site.url, path).json().get("stickers", []):
        change(site.url, "DELETE", f"{path}/{one['id']}", None, TOKEN)
    assert change(site.url, "DELETE", path, None, TOKEN).status in (204, 404)


def shown(answer: Answer) -> str:
    """The page without what differs. Other tests' packs may make another page of the list."""
    return re.sub(r'(?s)<nav class="pages".*?</nav>', "PAGES", masked(answer.text))


def titles(site: SiteServer, pack: int) -> list[str]:
    return [one["title"] for one in get(site.url, f"/stickers/{pack}").json()["stickers"]]


@on([*ON_MEMORY, *EACH_BACKEND])
def test_from_the_beginning_to_the_end(site: SiteServer, manager: Manager) -> None:
    title = f"Pack {secrets.token_hex(8)}"
    made = manager.send("/manage/new", title=f"  {title} ")
    pack = made.headers["location"].partition("?")[0]
    assert (made.status, made.headers["location"]) == (303, f"{pack}?done=created")
    assert f"<h1>{title}</h1>" in manager.get(made.headers["location"]).text
    created = manager.send(f"{pack}/new", title=NASTY).headers["location"]
    assert f"<h1>{ESCAPED}</h1>" in manager.get(created).text
    assert NASTY not in manager.get(pack).text
    sticker = created.partition("?")[0]
    assert manager.form(f"{sticker}/edit")["title"] == NASTY
    saved = manager.send(f"{sticker}/edit", title="Shy Fox")
    assert (saved.status, saved.headers["location"]) == (303, f"{sticker}?done=saved")
    api = sticker.replace("/manage/sticker", "/stickers")
    assert get(site.url, api).json()["title"] == "Shy Fox"
    full = manager.send(f"{pack}/delete")
    assert (full.status, "The pack still has stickers." in full.text) == (409, True)
    form = manager.form(f"{sticker}/delete")
    assert get(site.url, api).status == 200
    assert manager.post(f"{sticker}/delete", form).headers["location"] == f"{pack}?done=deleted"
    assert get(site.url, api).status == 404
    again = manager.post(f"{sticker}/delete", form)
    assert (again.status, "may have been deleted before" in again.text) == (404, True)
    assert manager.send(f"{pack}/delete").headers["location"] == "/manage?done=deleted"


@on([*ON_MEMORY, *EACH_BACKEND])
def test_every_page_is_the_references(
    site: SiteServer, reference: SiteServer, manager: Manager
) -> None:
    model, taken = Manager(reference.url), "Axolotl Attic"
    model.log_in(TOKEN)
    for path in (
        "/manage",
        "/manage?page=7",
        "/manage?page=0",
        "/manage?done=deleted",
        "/manage/login",
        "/manage/new",
        "/manage/pack/7",
        "/manage/pack/7/new",
        "/manage/pack/7/edit",
        "/manage/pack/7/delete",
        "/manage/sticker/7/190/edit",
        "/manage/sticker/7/190/delete",
        "/manage/pack/0",
        "/manage/pack/99999",
        "/manage/pack/99999/edit",
        "/manage/pack/7?page=2",
        "/manage/sticker/7/1",
        "/manage/sticker/7/99999/edit",
        "/manage/sticker/7/x/edit",
        "/manage/other",
    ):
        for one, other in ((manager, model), (Manager(site.url), Manager(reference.url))):
            answer, expected = one.get(path), other.get(path)
            assert answer.status == expected.status, path
            assert shown(answer) == shown(expected), path
            assert {name: answer.headers.get(name) for name in SECURITY} == SECURITY, path
            assert answer.headers.get("location") == expected.headers.get("location"), path
    for path, title in (
        ("/manage/new", taken),
        ("/manage/pack/7/new", ""),
        ("/manage/new", "x" * 99),
    ):
        answer, expected = manager.send(path, title=title), model.send(path, title=title)
        assert (answer.status, shown(answer)) == (expected.status, shown(expected)), path
        assert read_form(answer.text)["title"] == title


@on([*ON_MEMORY, *EACH_BACKEND])
def test_a_form_that_is_sent_many_times_at_once_creates_one(
    site: SiteServer, manager: Manager, pack: int
) -> None:
    sent_at_once(site, manager, pack)
    assert titles(site, pack) == ["Twin"]


def sent_at_once(site: SiteServer, manager: Manager, pack: int) -> None:
    """Send a form on several connections; one is carried out, and the others say so."""
    path = f"/manage/pack/{pack}/new"
    fields = {**manager.form(path), "title": "Twin"}
    with ThreadPoolExecutor(AT_ONCE) as pool:
        asked = [pool.submit(manager.post, path, fields) for _ in range(AT_ONCE)]
        answers = [it.result() for it in asked]
    assert sorted(one.status for one in answers) == [303] + [409] * (AT_ONCE - 1)
    for one in answers:
        assert one.status == 303 or read_form(one.text)["title"] == "Twin"


@with_each(WORKERS)
def test_workers_know_the_same_log_ins_and_forms(starter: Starter, engine: str) -> None:
    starter.ready(engine)
    with serving(engine, starter.databases.env(), "--workers", "2") as server:
        manager = Manager(server.url)
        assert manager.log_in(TOKEN).status == 303
        for _ in range(AT_ONCE):
            assert "Log out" in manager.get("/manage").text
        pack = change(server.url, "POST", "/stickers", {"title": secrets.token_hex(8)}, TOKEN)
        number = pack.json()["id"]
        for _ in range(3):
            sent_at_once(server, manager, number)
        assert titles(server, number) == ["Twin"] * 3


@on(ON_MEMORY)
def test_hostile_cookies_and_bodies(site: SiteServer, manager: Manager) -> None:
    _, _, value = manager.cookie.partition("=")
    path = "/manage/sticker/1/1/edit"
    for cookie in (
        b"manager=",
        b"manager=" + value[:-1].encode(),
        b"manager=" + value.upper().encode(),
        b"manager=\xff\xfe\x80",
        "manager=ünïcode".encode(),
        b"manager=' OR '1'='1",
        b"manager=" + b"a" * 4000,
        b"manager=.." + b";" * 3000,
        b"session=" + value.encode(),
    ):
        answer = ask(site.url, "GET", path, Cookie=cookie)
        assert (answer.status, answer.headers["location"]) == (303, f"/manage/login?next={path}")
    title = get(site.url, "/stickers/1/1").json()["title"]
    good = urlencode(manager.form(path)).encode()
    for body in (
        b"",
        b"\xff\xfe",
        bytes(range(256)),
        b"form=%ff&title=x",
        b"a=1&" * 10_000 + good,
        b'{"title": "x"}',
        good.replace(b"form=", b"form=0"),
        good.replace(b"title=", b"name="),
        b"title=x",
    ):
        for given in (manager.cookie, ""):
            answer = ask(site.url, "POST", path, body, Content_Type=FORM, Cookie=given)
            assert answer.status in (400, 403), body[:40]
            assert read_form(answer.text), body[:40]
    assert get(site.url, "/stickers/1/1").json()["title"] == title
    head = f"POST {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 70000\r\n\r\n"
    assert raw(site.port, head.encode() + b"a" * 70_000).split(b" ", 2)[1] == b"413"
    for target in ("/manage/sticker/1/1/edit/", "/manage/pack/1/2", "/manage//1", "/manage/"):
        assert manager.get(target).status == 404, target


@on(ON_MEMORY)
def test_attempts_to_log_in_are_limited_for_each_address(site: SiteServer) -> None:
    def attempt(address: str, token: str) -> tuple[int, bytes, str | None]:
        body = urlencode({**form, "token": token})
        connection = http.client.HTTPConnection(
            "127.0.0.1", site.port, timeout=5.0, source_address=(address, 0)
        )
        try:
            connection.request("POST", "/manage/login", body, {"Content-Type": FORM})
            answer = connection.getresponse()
            return answer.status, answer.read(), answer.headers.get("retry-after")
        finally:
            connection.close()

    form = read_form(get(site.url, "/manage/login").text)
    for _ in range(ATTEMPTS_AT_ONCE):
        status, page, wait = attempt("127.0.0.9", "x" * 20)
        assert (status, b"That is not the token." in page, wait) == (403, True, None)
    for token in ("x" * 20, TOKEN):
        status, page, wait = attempt("127.0.0.9", token)
        assert (status, b"Too many attempts." in page) == (403, True)
        assert int(wait or 0) in range(1, 7)
    assert attempt("127.0.0.8", TOKEN)[0] == 303


@with_each(ON_MEMORY[:1])
def test_without_a_token_in_the_environment_it_is_read_only(starter: Starter, engine: str) -> None:
    starter.ready(engine)
    with serving(engine, environment()) as server:
        visitor = Manager(server.url)
        for path in ("/manage", "/manage/pack/7", "/manage/sticker/7/190"):
            answer = visitor.get(path)
            assert (answer.status, "<p>Read-only</p>" in answer.text) == (200, True)
        for path in ("/manage/login", "/manage/new", "/manage/sticker/7/190/edit"):
            for answer in (visitor.get(path), visitor.post(path, {"title": "x", "token": TOKEN})):
                assert answer.status == 403
                assert "start the server with SITE_TOKEN set" in answer.text


@on(ON_MEMORY[:1])
def test_the_pages_take_the_requests_that_they_are_said_to(site: SiteServer) -> None:
    client = Client(site.url)
    try:
        head: Any = client.ask("HEAD", "/manage")
        assert (head.status, head.body) == (200, b"")
        assert client.ask("PUT", "/manage/new").headers["allow"] == "GET, HEAD, POST"
        assert client.ask("GET", "/manage/logout").headers["allow"] == "POST"
    finally:
        client.close()
