"""Requests from a HAR file, an OpenAPI document and an access log can be raced as they are."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from race.app import requests
from race.app.scenario import AppScenario
from race.cli import main
from race.plan import read


def scenario(folder: Path, name: str, text: str) -> AppScenario:
    """Return the scenario of the race.toml that `race init --from` writes."""
    (folder / name).write_text(text)
    assert main(["init", str(folder), "--from", str(folder / name)]) == 0
    found = read.load(str(folder / "race.toml"))
    assert isinstance(found, AppScenario)
    assert requests.tasks(found)
    return found


def entry(url: str, method: str = "GET", status: int = 200, **more: Any) -> dict[str, Any]:
    return {"request": {"url": url, "method": method, **more}, "response": {"status": status}}


def test_a_recording_of_a_browser(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    posted = {"mimeType": "application/json", "text": '{"a": "{1}"}'}
    entries = [
        *[
            entry("https://shop.example/items?q={x}", cookies=[{"name": "id", "value": word}])
            for word in "abc"
        ],
        entry("https://shop.example/orders", "POST", 201, postData=posted),
        entry(
            "https://shop.example/buy", "POST", postData={"params": [{"name": "n", "value": "1"}]}
        ),
        entry("https://shop.example/none", status=404),
        entry("https://cdn.example/a.js"),
        {"broken": True},
    ]
    found = scenario(tmp_path, "shop.har", json.dumps({"log": {"entries": entries}}))
    assert [(one.name, one.path, one.weight) for one in found.requests] == [
        ("get-items", "/items?q=%7Bx%7D", 3),
        ("post-orders", "/orders", 1),
        ("post-buy", "/buy", 1),
    ]
    listed, ordered, bought = found.requests
    assert listed.cookies == {"id": "c"}
    assert ordered.headers == {"Content-Type": "application/json"}
    assert ordered.body == posted["text"]
    assert bought.form == {"n": "1"}
    said = capsys.readouterr().err
    assert "left out: 1 to cdn.example: another host" in said
    assert "has cookies of the recording: they may be secrets" in said


def test_an_openapi_document(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole = {"name": "id", "in": "path", "schema": {"$ref": "#/components/schemas/Id"}}
    colour = {"name": "c", "in": "query", "required": True, "schema": {"enum": ["red", "green"]}}
    order = {"content": {"application/json": {"example": {"item": 3, "note": None}}}}
    paths = {
        "/items/{id}": {"parameters": [whole], "get": {"parameters": [colour]}},
        "/orders": {"post": {"requestBody": {**order, "required": True}}},
        "/users/{name}": {"get": {"parameters": [{"name": "name", "in": "path"}]}},
        "/all": {"get": {}, "post": {"requestBody": {"required": True, "content": {}}}},
    }
    schemas = {"Id": {"type": "integer", "minimum": 5, "maximum": 9}}
    document = {"openapi": "3.1.0", "paths": paths, "components": {"schemas": schemas}}
    found = scenario(tmp_path, "openapi.json", json.dumps(document))
    assert [one.path for one in found.requests] == [
        "/items/{5..9}?c={red|green}",
        "/orders",
        "/all",
    ]
    assert found.requests[1].json == {"item": 3}
    said = capsys.readouterr().err
    assert "left out: GET /users/{name}: no example of name" in said
    assert "left out: POST /all: no example of its body" in said


def test_an_access_log(tmp_path: Path) -> None:
    lines = [f'- - - [x] "GET /items/{n}?page=1 HTTP/1.1" 200 12 "-" "-"' for n in (3, 4, 3)]
    lines += ['- "GET / HTTP/1.1" 200 1', '- "GET /x HTTP/1.1" 404 1', '- "POST /o HTTP/1.1" 201 1']
    found = scenario(tmp_path, "access.log", "\n".join(lines))
    assert [(one.path, one.weight) for one in found.requests] == [
        ("/items/{3|4}?page=1", 3),
        ("/", 1),
    ]


WITHOUT = ("hello", "{}", '{"log": {"entries": []}}', '{"paths": {}}', "[1")
OTHER_FORMS = ('{"log": {"entries": 5}}', '{"paths": [1]}', "[" * 200_000)


@pytest.mark.parametrize("text", [*WITHOUT, *OTHER_FORMS], ids=lambda text: text[:20])
def test_what_has_no_requests_is_one_line(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "it").write_text(text)
    assert main(["init", str(tmp_path), "--from", str(tmp_path / "it")]) == 2
    assert not (tmp_path / "race.toml").exists()
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("race: ")
