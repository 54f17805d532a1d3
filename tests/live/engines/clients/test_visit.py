"""Adapters give the pages the session, address, user agent and query of a client."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from runtime.paths import ROOT
from tests.support.engines import ON_MEMORY, Starter, each
from tests.support.site_client import get
from tests.support.site_server import environment, serving

SESSION = "ab" * 16
# About shows what it knows of its visit.
SHOWING = """
import json

from handlers import pages
from handlers.exchange import page

NAMES = "session", "address", "agent", "query"


def about(self, visit):
    return page(json.dumps({name: getattr(visit, name) for name in NAMES}).encode())


pages.Pages.about = about
"""


@pytest.mark.parametrize("engine", each(ON_MEMORY))
def test_the_pages_know_their_client(starter: Starter, engine: str, tmp_path: Path) -> None:
    starter.ready(engine)
    (tmp_path / "sitecustomize.py").write_text(SHOWING)
    env = environment(PYTHONPATH=f"{tmp_path}:{ROOT}")
    with serving(engine, env) as server:
        headers = {"User_Agent": "a browser", "Cookie": f"other=1; session={SESSION}"}
        found = json.loads(get(server.url, "/about?voted=1", **headers).body)
        assert found == {
            "session": SESSION,
            "address": "127.0.0.1",
            "agent": "a browser",
            "query": "voted=1",
        }
        found = json.loads(get(server.url, "/about").body)
        assert found == {"session": None, "address": "127.0.0.1", "agent": "", "query": ""}
