"""Every interpreter renders the same bytes: pages, pictures, and the reports of a month."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from handlers.render import RENDERERS
from runtime.paths import ROOT
from tests.conftest import absent

# Prints a line with hashes for each renderer.
PROGRAM = """
import asyncio, hashlib, platform
from data_interface.history import fill
from data_interface.memory_store import MemoryStore
from data_interface.store import Statistics, Sticker
from handlers.pictures import picture
from handlers.render import RENDERERS

NOW = 1_777_638_896
titles = ["Brave Crab", "<b>'\\"&%s\\u2603\\ud83e"]
one, two = [Sticker(n + 1, 1, title, -n, n, 2 * n) for n, title in enumerate(titles)]

def pages(renderer):
    for notice in (None, "counted", "refused"):
        yield renderer.index(("c" * 32, one, "a" * 32, two, "b<" * 16), notice)
    for best in (True, False):
        yield renderer.top([one, two] * 4, best)
    yield renderer.about(None)
    yield renderer.about(Statistics(1, 22, 333, 4444, 55555555))
    yield renderer.error(404, titles[1], titles[0])

async def reports():
    store = MemoryStore()
    await store.open()
    await fill(store, NOW)
    names = "today", "newest", "ratings", "ranking", "voters"
    return [await getattr(store, name)(NOW) for name in names]

found = asyncio.run(reports())
for plugin in RENDERERS.values():
    if not plugin.suits(platform.python_version()):
        continue
    renderer = plugin.load()("aiohttp-memory-one", "3.7.17")
    made = [*pages(renderer), *(renderer.report(one, NOW) for one in found)]
    print(*[hashlib.sha256(page).hexdigest() for page in made])
print(*[hashlib.sha256(picture(number)).hexdigest() for number in range(1, 500)])
"""


def hashes(python: str | Path) -> list[str]:
    command = [python, "-c", PROGRAM]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=True)
    return done.stdout.splitlines()


def test_all_interpreters_and_renderers_give_the_same_bytes() -> None:
    other = ROOT / ".venv-3.7" / "bin" / "python"
    if not other.exists():
        absent("no environment for CPython 3.7; `make env` builds it")
    *pages, pictures = hashes(sys.executable)
    assert len(pages) == len(RENDERERS)
    assert len(set(pages[0].split())) == len(pages[0].split()) == 13
    assert len(set(pictures.split())) == 499
    assert pages.count(pages[0]) == len(pages)
    older = [plugin for plugin in RENDERERS.values() if plugin.suits("3.7")]
    assert hashes(other) == [*pages[: len(older)], pictures]
