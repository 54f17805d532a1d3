"""A page with a defect: our page and one traceback, on every framework, and the server goes on."""

from __future__ import annotations

from pathlib import Path

import pytest

from runtime.paths import ROOT
from tests.support.engines import BARE, Starter, with_each
from tests.support.site_client import ask, get
from tests.support.site_server import environment, serving

# What waits and what does not, as a page and as JSON; a POST, whose body is read before.
DEFECTS = """
from handlers import api, pages


async def waiting(*arguments):
    raise KeyError("a defect")


def plain(*arguments):
    raise KeyError("a defect")


pages.Pages.index = pages.Pages.vote = api.Api.packs = waiting
pages.Pages.about = plain
"""
ASKED = (
    ("GET", "/", b"Our fault"),
    ("HEAD", "/", b""),
    ("POST", "/", b"Our fault"),
    ("GET", "/about", b"Our fault"),
    ("GET", "/stickers", b'{"error"'),
)


@pytest.mark.parametrize("level", ["warning", "debug"])
@with_each(BARE)
def test_a_defect_is_a_page_and_a_traceback(
    starter: Starter, engine: str, level: str, tmp_path: Path
) -> None:
    starter.ready(engine)
    (tmp_path / "sitecustomize.py").write_text(DEFECTS)
    env = environment(PYTHONPATH=f"{tmp_path}:{ROOT}")
    with serving(engine, env, "-l", level) as site:
        for method, path, says in ASKED:
            site.news()
            answer = ask(site.url, method, path, body=b"a=b" if method == "POST" else None)
            assert answer.status == 500, (method, path)
            assert says in answer.body, (method, path)
            news = site.news()
            assert news.count("Traceback") == 1, (method, path, news)
            assert f" {path} failed" in news
        assert get(site.url, "/ugly").body == b"UGLY"
