"""The pages' HTML: escaped, the same on every interpreter, and nothing from another host."""

from __future__ import annotations

import hashlib
import importlib.util
import re
from functools import lru_cache
from html.parser import HTMLParser

import pytest

from data_interface.store import Ballot, Statistics, Sticker
from handlers.render import RENDERERS
from handlers.render.prepared import PreparedRenderer
from handlers.render.renderer import Renderer
from handlers.render.shapes import cut, marks, shape
from handlers.render.static import static_files
from runtime.paths import ROOT
from tests.conftest import absent

ENGINE = "aiohttp-memory-one"
PLUS, MINUS = "a1" * 16, "b2" * 16
STICKERS = [Sticker(n, 1, f"Brave Crab {n}", 40 - n, 41, n + 1) for n in range(1, 10)]
STATISTICS = Statistics(packs=540, stickers=16_200, visitors=1, ballots=1_234_567, votes=0)
HOSTILE = [
    "<script>alert(1)</script>",
    "\"><img src=x onerror='alert(1)'>",
    "</title></span></form><form action=//evil.example>",
    "100 % %s %d %(id)s %%",
    "{{ 7 * 7 }} {% raw %} &amp; \x02plus\x03",
    "snow ☃ and 🦊, and half a pair \ud83e",
]


class Outline(HTMLParser):
    """The start tags with their attributes, and the text."""

    def __init__(self, page: bytes) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(page.decode())
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data

    def names(self) -> list[str]:
        return [name for name, _ in self.tags]


@lru_cache
def made(name: str, engine: str = ENGINE, python: str = "3.13.0") -> Renderer:
    for need in RENDERERS[name].needs:
        if importlib.util.find_spec(need) is None:
            absent(f"--render {name} needs the Python package {need}: run `make env`")
    renderer: Renderer = RENDERERS[name].load()(engine, python)
    return renderer


@pytest.fixture(scope="module", params=list(RENDERERS))
def renderer(request: pytest.FixtureRequest) -> Renderer:
    return made(request.param)


def ballot(left: str = "Brave Crab", right: str = "Shy Owl") -> Ballot:
    one, other = Sticker(7, 1, left, 3, 4, 1), Sticker(8, 1, right, 3, 4, 1)
    return "c3" * 16, one, PLUS, other, MINUS


def every_page(renderer: Renderer) -> dict[str, bytes]:
    return {
        "index": renderer.index(ballot(), None),
        "counted": renderer.index(ballot(), "counted"),
        "refused": renderer.index(ballot(), "refused"),
        "good": renderer.top(STICKERS, best=True),
        "bad": renderer.top(STICKERS, best=False),
        "about": renderer.about(STATISTICS),
        "about, unknown": renderer.about(None),
        "error": renderer.error(404, "Not found", "There is no page at this address."),
    }


@pytest.mark.parametrize("title", ["Brave Crab", *HOSTILE])
@pytest.mark.parametrize("other", list(RENDERERS)[1:])
def test_all_renderers_give_the_same_bytes(title: str, other: str) -> None:
    stickers = [sticker._replace(title=title) for sticker in STICKERS]
    stickers += [Sticker(10, 2, title, -1_234_567, 0, 1_234_567), Sticker(11, 2, title, 0, 0, 0)]
    pages = []
    for name in ("jinja", other):
        renderer = made(name)
        pages.append(
            {
                **every_page(renderer),
                "titles": renderer.index(ballot(title, title), None),
                "none": renderer.top([], best=True),
                "all": renderer.top(stickers, best=False),
                "one": renderer.top(stickers[-1:], best=True),
                "wrong": renderer.error(503, title, title),
            }
        )
    first, second = pages
    assert second == first


def test_pages_are_tidy(renderer: Renderer) -> None:
    for name, page in every_page(renderer).items():
        lines = page.decode().split("\n")
        assert lines[0] == "<!doctype html>"
        assert lines[-1] == "</html>"
        assert all(line and line == line.strip() for line in lines), name


def visible(title: str) -> str:
    return title.encode("utf-8", "replace").decode()


def test_each_form_votes_for_its_own_sticker(renderer: Renderer) -> None:
    html = renderer.index(ballot(), None).decode()
    forms = re.findall(r"(?s)<form.*?</form>", html)
    assert len(forms) == 2
    for form, plus, minus, number in zip(forms, (PLUS, MINUS), (MINUS, PLUS), (7, 8), strict=True):
        assert f'<input type="hidden" name="vote_plus" value="{plus}">' in form
        assert f'<input type="hidden" name="vote_minus" value="{minus}">' in form
        assert f'src="/pictures/{number}.svg"' in form
        assert 'method="post"' in form


@pytest.mark.parametrize(
    ("notice", "says"),
    [
        (None, None),
        ("counted", "Your vote has been counted"),
        ("refused", "That ballot was used or had expired. Here is a new one."),
    ],
)
def test_notice(renderer: Renderer, notice: str | None, says: str | None) -> None:
    html = renderer.index(ballot(), notice).decode()
    assert re.findall(r'role="status">([^<]*)<', html) == ([says] if says else [])


@pytest.mark.parametrize("title", HOSTILE)
def test_a_hostile_title_is_only_text(renderer: Renderer, title: str) -> None:
    tame = Outline(renderer.index(ballot(), None))
    index = Outline(renderer.index(ballot(left=title, right=title), None))
    assert index.names() == tame.names()
    assert index.text.count(visible(title)) == 2
    hostile = [sticker._replace(title=title) for sticker in STICKERS]
    top = Outline(renderer.top(hostile, best=True))
    assert top.names() == Outline(renderer.top(STICKERS, best=True)).names()
    assert top.text.count(visible(title)) == 9
    error = Outline(renderer.error(400, title, title))
    assert error.names() == Outline(renderer.error(400, "a", "b")).names()


@pytest.mark.parametrize("token", ['"><script>', "a'b", "", "%s", "☃"])
def test_a_hostile_token_stays_in_its_attribute(renderer: Renderer, token: str) -> None:
    session, left, _, right, minus = ballot()
    page = renderer.index((session, left, token, right, minus), None)
    inputs = [attributes for name, attributes in Outline(page).tags if name == "input"]
    assert [field["value"] for field in inputs] == [token, MINUS, MINUS, token]


@pytest.mark.parametrize("name", RENDERERS)
def test_a_hostile_engine_name_is_only_text(name: str) -> None:
    page = Outline(made(name, "<i>%d", "<i>").about(STATISTICS))
    assert "i" not in page.names()
    assert "<i>%d" in page.text


def test_top_shows_rating_and_votes_in_order(renderer: Renderer) -> None:
    html = renderer.top(STICKERS, best=True).decode()
    shown = re.findall(r"<b>(.*?)</b> <span>(\d+) up</span> <span>(\d+) down</span>", html)
    assert shown == [(f"{s.rating:+d}", str(s.up), str(s.down)) for s in STICKERS]
    assert re.findall(r"/pictures/(\d+)\.svg", html) == [str(s.id) for s in STICKERS]


def test_a_shape_has_its_fields_in_their_order() -> None:
    fields = "name size:d rating:d name"
    known = marks(fields)
    html = "100 % of {name}: +{size}, {rating:+d} +{name}".format(**known)
    assert shape(html, fields) == b"100 %% of %s: %+d, %+d +%s"
    for other in ("name size:d rating:d", "size:d name rating:d name"):
        with pytest.raises((ValueError, KeyError)):
            shape(html, other)


@pytest.mark.parametrize(("before", "turn", "after"), [("a", "bc", "d"), ("<", "<p>", "<b>")])
def test_a_loop_is_cut_out(before: str, turn: str, after: str) -> None:
    head, middle, tail = cut(before + after, before + turn + after)
    for turns in (0, 1, 9):
        assert head + middle * turns + tail == before + turn * turns + after


def test_a_prepared_page_renders_no_template(monkeypatch: pytest.MonkeyPatch) -> None:
    plain, prepared = made("jinja"), PreparedRenderer(ENGINE, "3.13.0")
    monkeypatch.setattr("jinja2.Template.render", None)
    assert every_page(prepared)
    with pytest.raises(TypeError):
        plain.top(STICKERS, best=True)


def test_a_changed_sticker_is_not_served_from_the_cache(renderer: Renderer) -> None:
    renderer.top(STICKERS, best=True)
    voted = STICKERS[0]._replace(rating=STICKERS[0].rating + 1, up=STICKERS[0].up + 1)
    assert f"<b>{voted.rating:+d}</b>" in renderer.top([voted], best=True).decode()


def test_about_names_the_engine_and_counts(renderer: Renderer) -> None:
    html = renderer.about(STATISTICS).decode()
    assert f"<code>{ENGINE}</code>" in html
    assert "<code>3.13.0</code>" in html
    for number in ("540", "16,200", "1,234,567"):
        assert f"<dd>{number}</dd>" in html
    assert "<dd>" not in renderer.about(None).decode()


def test_links_to_static_files_carry_the_hash_of_the_content(renderer: Renderer) -> None:
    for name, page in every_page(renderer).items():
        links = re.findall(r'"/static/([^?"]+)\?v=([0-9a-f]+)"', page.decode())
        assert {file for file, _ in links} == {"favicon.svg", "site.css", "site.js"}, name
        for file, version in links:
            content = (ROOT / "static" / file).read_bytes()
            assert hashlib.sha256(content).hexdigest().startswith(version)
            assert static_files()[file][1] == content


def test_pages_keep_to_the_content_security_policy(renderer: Renderer) -> None:
    for name, page in every_page(renderer).items():
        outline = Outline(page)
        assert "style" not in outline.names(), name
        for tag, attributes in outline.tags:
            assert not [key for key in attributes if key == "style" or key.startswith("on")], name
            assert tag != "script" or attributes.get("src"), name
            assert tag != "img" or {"width", "height", "alt"} <= attributes.keys(), name


def test_nothing_comes_from_another_host(renderer: Renderer) -> None:
    texts = {path.name: path.read_bytes() for path in (ROOT / "static").iterdir()}
    texts.update(every_page(renderer))
    for name, content in texts.items():
        text = content.replace(b"http://www.w3.org/2000/svg", b"")
        assert not re.search(rb"https?:|data:|url\(|@import|[\"'=]\s*//", text), name


def test_pages_are_small(renderer: Renderer) -> None:
    sizes = {name: len(page) for name, page in every_page(renderer).items()}
    assert sizes["counted"] < 3_000
    assert sizes["good"] < 5_000
    assert sizes["about"] < 4_000
