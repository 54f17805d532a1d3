"""The explanations of engines and pages in a report."""

from __future__ import annotations

from data_interface import ALL, BACKENDS
from handlers import LOOPS, OWN, SERVERS, WEB
from handlers.render import RENDERERS
from race.web.levels import LEVELS, PARSERS, facts
from race.web.pages import PAGES


def test_modes_loops_and_ways_to_render_are_explained() -> None:
    assert list(LEVELS["connection"]) == list(ALL)
    assert list(LEVELS["loop"]) == list(LOOPS)
    assert list(LEVELS["render"]) == list(RENDERERS)


def test_nothing_is_explained_that_is_not_there() -> None:
    assert set(LEVELS["web"]) <= set(WEB)
    assert list(LEVELS["server"]) == list(SERVERS)
    assert set(LEVELS["backend"]) <= set(BACKENDS)


def test_every_page_says_what_it_does() -> None:
    assert [name for name, page in PAGES.items() if not page.text] == []


def test_every_server_has_a_parser() -> None:
    own = {name for name, web in WEB.items() if web.interface == OWN}
    assert own | (SERVERS.keys() - {OWN}) <= PARSERS.keys()


def test_a_framework_has_the_parser_of_its_server() -> None:
    parsers = {
        (web, server): facts({"web": web, "server": server})["HTTP parser"]
        for web, server in (("aiohttp", OWN), ("starlette", "uvicorn"), ("starlette", "hypercorn"))
    }
    assert list(parsers.values()) == ["llhttp, in C", "httptools (llhttp), in C", "h11, in Python"]
