"""The requests of an application: what is drawn, and what is refused in one line."""

from __future__ import annotations

import json
from collections import Counter
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
        ({"get": "items"}, "key 'requests[0].get'"),
        ({"get": "/a b"}, "key 'requests[0].get'"),
        ({"post": "/", "body": "a", "json": 1}, "give one of json, form and body"),
        ({"get": "/{id}"}, "{id} stands for no value, as {1..50}"),
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
