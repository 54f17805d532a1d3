"""The requests of an application: what is drawn, and what is refused in one line."""

from __future__ import annotations

import json
from collections import Counter
from email.parser import BytesParser
from email.policy import default
from pathlib import Path
from typing import Any

import pytest

from race.app import requests
from race.app.answers import Answer, difference, problem
from race.app.requests import Drawn
from race.app.scenario import AppScenario
from race.errors import RaceError
from race.plan import read

LEAST: dict[str, Any] = {"discipline": "app", "title": "Shop", "serve": "python app.py {port}"}


def made(folder: Path, *given: dict[str, Any], **changes: Any) -> AppScenario:
    data = {**LEAST, "requests": list(given) or [{"name": "front", "get": "/"}], **changes}
    found = read.from_file(folder / "race.toml", data)
    assert isinstance(found, AppScenario)
    return found


def drawn(folder: Path, **request: Any) -> list[Drawn]:
    return requests.tasks(made(folder, {"name": "one", **request}))["one"]


def test_a_request_without_values_is_drawn_once_with_its_bytes(tmp_path: Path) -> None:
    (one,) = drawn(tmp_path, get="/items")
    assert one.raw == b"GET /items HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    (other,) = drawn(tmp_path, post="/orders", form={"a": "1&2"}, headers={"host": "shop"})
    assert other.raw.splitlines()[1:3] == [
        b"Content-Type: application/x-www-form-urlencoded",
        b"Content-Length: 7",
    ]
    assert other.raw.endswith(b"host: shop\r\n\r\na=1%262")


def test_cookies_are_one_header_with_values(tmp_path: Path) -> None:
    found = drawn(tmp_path, get="/", cookies={"session": "s{1..9}", "theme": "dark"})
    assert len({one.headers for one in found}) == 9
    assert found[0].raw.count(b"Cookie: session=s") == 1
    assert b"; theme=dark\r\n" in found[0].raw
    (tmp_path / "users.csv").write_text('id\n"a;b"\n')
    with pytest.raises(RaceError, match="the cookie id has a semicolon"):
        drawn(tmp_path, get="/", cookies={"id": "{users.csv:id}"})


def test_a_file_is_sent_as_it_is_with_its_type(tmp_path: Path) -> None:
    (tmp_path / "new.json").write_bytes(b'{"a": "{1..2}"}')
    (one,) = drawn(tmp_path, post="/", file="new.json")
    assert one.raw.endswith(b'\r\n\r\n{"a": "{1..2}"}')
    assert ("Content-Type", "application/json") in one.headers
    (other,) = drawn(tmp_path, post="/", file="new.json", headers={"content-type": "text/x"})
    assert [text for name, text in other.headers if name.lower() == "content-type"] == ["text/x"]


def test_an_upload_is_what_pythons_own_parser_reads(tmp_path: Path) -> None:
    (tmp_path / "cat.png").write_bytes(b"\x89PNG\r\n--")
    first, again = (
        drawn(tmp_path, post="/", form={"title": "a b"}, files={"photo": "cat.png"})
        for _ in range(2)
    )
    assert first == again
    (one,) = first
    described = "".join(f"{name}: {text}\n" for name, text in one.headers)
    message = BytesParser(policy=default).parsebytes(described.encode() + b"\n" + one.body)
    title, photo = message.iter_parts()
    assert (title.get_param("name", header="content-disposition"), title.get_content()) == (
        "title",
        "a b",
    )
    assert (photo.get_filename(), photo.get_content_type()) == ("cat.png", "image/png")
    assert photo.get_payload(decode=True) == b"\x89PNG\r\n--"


def test_bodies_that_no_generator_can_keep_are_refused(tmp_path: Path) -> None:
    (tmp_path / "large").write_bytes(bytes(1 << 20))
    assert len(drawn(tmp_path, post="/", file="large")) == 1
    with pytest.raises(RaceError, match="1,000 bodies of 1,049 MB together are too large"):
        drawn(tmp_path, post="/{1..9}", file="large")


def test_a_scenario_without_a_title_is_called_as_its_folder(tmp_path: Path) -> None:
    assert made(tmp_path).title == "Shop"
    assert made(tmp_path, title="").title == tmp_path.name


def test_values_are_the_same_each_time_and_cover_their_range(tmp_path: Path) -> None:
    first, second = (drawn(tmp_path, get="/items/{1..20}?c={red|green}") for _ in range(2))
    assert [one.raw for one in first] == [one.raw for one in second]
    assert len({one.path for one in first}) == 40


def test_a_range_alone_is_a_number_in_json(tmp_path: Path) -> None:
    found = drawn(tmp_path, post="/", json={"item": "{1..9}", "name": "n{1..9}", "all": [1, "x"]})
    for one in found[:50]:
        data = json.loads(one.body)
        assert 1 <= data["item"] <= 9
        assert data["name"][1:].isdigit()
        assert data["all"] == [1, "x"]


def test_a_path_is_sent_in_ascii(tmp_path: Path) -> None:
    (one,) = drawn(tmp_path, get="/caf\u00e9?q=\u00fc")
    assert one.path == "/caf%C3%A9?q=%C3%BC"


def test_a_line_break_in_a_value_is_no_header(tmp_path: Path) -> None:
    (tmp_path / "users.csv").write_text('\ufeffname\n"a\nb"\nc,more\n', encoding="utf-8")
    with pytest.raises(RaceError, match="the header X has a line break"):
        drawn(tmp_path, get="/", headers={"X": "{users.csv:name}"})


def test_columns_of_a_request_come_from_one_row(tmp_path: Path) -> None:
    (tmp_path / "users.csv").write_text("name,word\na b,1\nc,2\n")
    found = drawn(tmp_path, get="/{users.csv:name}?w={users.csv:word}")
    assert Counter(one.path for one in found).keys() == {"/a%20b?w=1", "/c?w=2"}


def test_the_mix_has_all_requests_by_weight(tmp_path: Path) -> None:
    both = {"name": "list", "get": "/", "weight": 9}, {"name": "buy", "post": "/b"}
    found = requests.tasks(made(tmp_path, *both))
    assert list(found) == ["list", "buy", "mix"]
    share = Counter(one.kind.name for one in found["mix"])["list"] / len(found["mix"])
    assert share == pytest.approx(0.9, abs=0.03)
    assert made(tmp_path, *both, only=["buy"]).tasks == ("buy",)


@pytest.mark.parametrize(
    ("request_", "said"),
    [
        ({}, "give one of get, post, put, patch, delete, options, with a path"),
        ({"get": "/", "post": "/"}, "give one of get"),
        ({"get": "items"}, "key 'requests[0].get': a path begins with / and has no spaces"),
        ({"get": "/a b"}, "key 'requests[0].get'"),
        (
            {"post": "/", "body": "a", "json": 1},
            "give one of json, form, body, file, not json and body",
        ),
        ({"post": "/", "file": "none.json"}, "none.json: No such file"),
        ({"post": "/", "json": 1, "files": {"a": "b"}}, "files go with form or alone, not with"),
        ({"get": "/", "cookies": {"a": "b"}, "headers": {"cookie": "c"}}, "give cookies, or the"),
        ({"get": "/", "cookies": {"a": "b; c=d"}}, "key 'requests[0].cookies"),
        ({"get": "/{id}"}, "{id} stands for no value, as {1..50}"),
        ({"get": "/", "weight": float("inf")}, "key 'requests[0].weight': expected float <="),
        ({"get": "/", "name": "a\nb"}, "key 'requests[0].name': a name is one line"),
        ({"get": "/items?page={1..5"}, "{1..5 stands for no value"),
        ({"get": "/{9..1}"}, "{9..1} is no range"),
        ({"get": "/{users.csv:x}"}, "users.csv: No such file"),
        ({"get": "/", "mask": ["("]}, "mask '('"),
        ({"get": "/", "expect": {"status": 404}}, "key 'requests[0].expect.status'"),
        ({"get": "/", "headers": {"A": "b\r\nC: d"}}, "key 'requests[0].headers"),
        ({"post": "/", "json": {"when": float("nan")}}, "json has what JSON cannot have"),
        ({"post": "/", "headers": {"Content-Length": "1"}}, "follow from the body"),
        ({"get": "/", "headers": {"a b": "1"}}, "key 'requests[0].headers"),
        ({"gt": "/"}, "unknown scenario key 'requests[0].gt': did you mean 'requests[0].get'"),
    ],
)
def test_a_wrong_request_is_one_line(tmp_path: Path, request_: dict[str, Any], said: str) -> None:
    with pytest.raises(RaceError) as caught:
        drawn(tmp_path, **request_)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def answer(status: int = 200, kind: str = "text/plain", body: str = "") -> Answer:
    return Answer(status, kind, body.encode())


def test_an_answer_is_right_by_status_type_and_text(tmp_path: Path) -> None:
    expect = {"contains": "items", "type": "application/json"}
    (one,) = drawn(tmp_path, get="/", expect=expect)
    assert problem(one, answer(kind="application/json", body='{"items": []}')) is None
    assert "answered 500: 'no'" in str(problem(one, answer(500, body="no")))
    assert "is text/plain, not application/json" in str(problem(one, answer(body="items")))
    assert "does not contain 'items'" in str(problem(one, answer(kind="application/json")))


def test_json_is_compared_as_data_and_without_what_is_masked(tmp_path: Path) -> None:
    (one,) = drawn(tmp_path, get="/", mask=[r'"id": \d+'])
    first = answer(kind="application/json", body='{"id": 1, "b": [1, 2]}')
    assert (
        difference(one, first, answer(kind="application/json", body='{"b":[1,2],"id":7}')) is None
    )
    unlike = difference(one, first, answer(kind="application/json", body='{"id": 1, "b": [1, 3]}'))
    assert unlike == "its body from character 11 on: '2], *}' and '3], *}'"
    assert difference(one, first, answer(201)) == "status 200 and 201"
