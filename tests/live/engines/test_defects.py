"""Each adapter's answer to what a page raises: the four errors of a store, a defect, a refusal."""

from __future__ import annotations

from pathlib import Path

import pytest

from handlers.refusals import AWAY
from runtime.paths import ROOT
from tests.support.engines import ON_MEMORY, Starter, with_each
from tests.support.html import SECURITY
from tests.support.site_client import ask, get
from tests.support.site_server import SiteServer, environment, serving

# Pages that wait and one that does not, as HTML and as JSON; a POST, whose body is read before.
PAGES_RAISE = """
from data_interface import store
from handlers import api, pages


def waiting(error):
    async def page(*arguments):
        raise error
    return page


def plain(*arguments):
    raise KeyError("a defect")


pages.Pages.index = pages.Pages.vote = api.Api.packs = waiting(KeyError("a defect"))
pages.Pages.about = plain
api.Api.pack = waiting(store.NotFound("There is no pack 7."))
api.Api.sticker = waiting(store.Conflict("That title is taken."))
api.Api.rename_pack = waiting(api.ApiError(401, "Who?", {"WWW-Authenticate": "Bearer"}))
pages.Pages.top = lambda self, best: waiting((store.Unavailable if best else store.Busy)("at h:1"))
"""
DEFECTS = (
    ("GET", "/", b"Our fault"),
    ("HEAD", "/", b""),
    ("POST", "/", b"Our fault"),
    ("GET", "/about", b"Our fault"),
    ("GET", "/stickers", b'{"error"'),
)


@pytest.mark.parametrize("level", ["warning", "debug"])
@with_each(ON_MEMORY)
def test_what_a_page_raises_has_its_answer(
    starter: Starter, engine: str, level: str, tmp_path: Path
) -> None:
    starter.ready(engine)
    (tmp_path / "sitecustomize.py").write_text(PAGES_RAISE)
    env = environment(PYTHONPATH=f"{tmp_path}:{ROOT}")
    with serving(engine, env, "-l", level) as site:
        check_defects(site)
        check_store_errors(site)
        assert get(site.url, "/ugly").body == b"UGLY"


def check_defects(site: SiteServer) -> None:
    for method, path, says in DEFECTS:
        site.news()
        answer = ask(site.url, method, path, body=b"a=b" if method == "POST" else None)
        assert answer.status == 500, (method, path)
        assert says in answer.body, (method, path)
        news = site.news()
        assert news.count("Traceback") == 1, (method, path, news)
        assert f" {path} failed" in news


def check_store_errors(site: SiteServer) -> None:
    site.news()
    for path, text in zip(("/good", "/bad"), AWAY.values(), strict=True):
        answer = get(site.url, path)
        assert (answer.status, answer.headers["retry-after"]) == (503, "2"), path
        assert f'<p class="lead">{text}</p>' in answer.text
        assert {name: answer.headers.get(name) for name in SECURITY} == SECURITY
    for method, path, status, error in (
        ("GET", "/stickers/7", 404, "There is no pack 7."),
        ("GET", "/stickers/7/1", 409, "That title is taken."),
        ("PUT", "/stickers/7", 401, "Who?"),
    ):
        answer = ask(site.url, method, path, body=b"{}" if method == "PUT" else None)
        assert (answer.status, answer.json()) == (status, {"error": error})
        assert ("www-authenticate" in answer.headers) == (status == 401)
    assert "Traceback" not in site.news()
