"""Reads the requests of an application from what its author has: a HAR file, an OpenAPI document or
an access log.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from race.app.request.form import METHODS
from race.errors import RaceError

MOST = 20
"""The most kinds of requests that are taken, the most frequent first."""
MOST_VALUES = 50
_LOGGED = re.compile(r'"(?P<method>[A-Z]+) (?P<path>/\S*) HTTP/[\d.]+" (?P<status>\d{3})')
_NUMBER = re.compile(r"(?<=/)\d+(?=/|$|\?)|(?<==)\d+(?=&|$)")

Found = dict[str, Any]
"""A request as it stands in race.toml."""


@dataclass
class Source:
    """Requests that were found, what was left out and why; `secret`: some have cookies."""

    requests: list[Found] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    secret: bool = False


def read(path: Path) -> Source:
    """Return the requests of a file. RaceError if it is none of the three, or has none."""
    try:
        text = path.read_text(errors="replace")
    except OSError as error:
        raise RaceError(f"cannot read {path}: {error.strerror}") from None
    try:
        found = _found(text, _data(path, text))
    except (AttributeError, TypeError, ValueError, RecursionError):
        raise RaceError(f"{path} has another form than a HAR file or OpenAPI document") from None
    if found is None:
        raise RaceError(f"{path} is no HAR file, OpenAPI document or access log")
    if not found.requests:
        why = f": {'; '.join(found.left_out[:3])}" if found.left_out else ""
        raise RaceError(f"{path} has no request that can be sent again{why}")
    return found


def _found(text: str, data: Any) -> Source | None:
    """Return the requests of a file with this text and data; None if it is none of the three."""
    if isinstance(data, dict) and "log" in data:
        return _har(data["log"])
    if isinstance(data, dict) and "paths" in data:
        return _openapi(data)
    return _log(text) if _LOGGED.search(text) else None


def _data(path: Path, text: str) -> Any:
    """Return the data of a JSON or YAML file; None for another one."""
    try:
        return json.loads(text)
    except ValueError:
        pass
    if path.suffix not in (".yaml", ".yml"):
        return None
    try:
        import yaml
    except ImportError:
        raise RaceError(f"{path} is YAML, which needs PyYAML: give the document as JSON") from None
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError:
        raise RaceError(f"{path} is no YAML") from None


def _har(log: Any) -> Source:
    """Return what a browser recorded of its most frequent host, each request with the cookies that
    it had last.
    """
    entries = log.get("entries", []) if isinstance(log, Mapping) else []
    each = [one for one in map(_recorded, entries) if one]
    hosts = Counter(host for host, _ in each)
    source = Source()
    if not hosts:
        return source
    (main, _), *others = hosts.most_common()
    source.left_out += [f"{number} to {host}: another host" for host, number in others]
    found = [request for host, request in each if host == main]
    cookies = {_key(one): one.pop("cookies") for one in found if "cookies" in one}
    for one in _counted(source, found).requests:
        if own := cookies.get(_key(one)):
            one["cookies"], source.secret = own, True
    return source


def _key(request: Found) -> str:
    """Return what makes two requests one kind: all but cookies and weight."""
    kind = {name: value for name, value in request.items() if name not in ("cookies", "weight")}
    return json.dumps(kind, sort_keys=True)


def _recorded(entry: Any) -> tuple[str, Found] | None:
    """Return the host and the request of an entry that was answered well; None for another one."""
    try:
        asked, status = entry["request"], int(entry["response"]["status"])
        url, method = urlsplit(asked["url"]), str(asked["method"]).lower()
    except (KeyError, TypeError, ValueError):
        return None
    if not 200 <= status < 400 or method not in METHODS:
        return None
    path = (url.path or "/") + (f"?{url.query}" if url.query else "")
    posted = asked.get("postData") or {}
    kind, body = str(posted.get("mimeType", "text/plain")), dict[str, Any]()
    if kind.startswith("multipart/"):
        return None
    if posted.get("text"):
        body = {"body": str(posted["text"]), "headers": {"Content-Type": kind}}
    elif fields := _pairs(posted.get("params")):
        body = {"form": fields}
    if cookies := _pairs(asked.get("cookies")):
        body["cookies"] = cookies
    return url.netloc, {method: _escaped(path), **body}


def _pairs(listed: Any) -> dict[str, str]:
    """Return names and values of a list as HAR has them."""
    named = (one for one in listed or () if isinstance(one, Mapping) and one.get("name"))
    return {str(one["name"]): str(one.get("value", "")) for one in named}


def _log(text: str) -> Source:
    """Return the GETs of an access log that were answered well; numbers in paths become values."""
    source, seen = Source(), list[str]()
    others: Counter[str] = Counter()
    for match in _LOGGED.finditer(text):
        if match["method"] != "GET":
            others[match["method"]] += 1
        elif int(match["status"]) < 400:
            seen.append(match["path"])
    source.left_out += [
        f"{number} {method}: a log has no bodies" for method, number in others.items()
    ]
    values: dict[str, list[tuple[str, ...]]] = {}
    for path in seen:
        values.setdefault(_NUMBER.sub("\0", path), []).append(tuple(_NUMBER.findall(path)))
    paths = (
        path for form, found in values.items() for path in [_templated(form, found)] * len(found)
    )
    return _counted(source, [{"get": path} for path in paths])


def _templated(form: str, found: list[tuple[str, ...]]) -> str:
    """Return a path in which each number that varied is a choice of those that were seen."""
    parts = form.split("\0")
    text = _escaped(parts[0])
    for place, part in enumerate(parts[1:]):
        seen = list(dict.fromkeys(numbers[place] for numbers in found))[:MOST_VALUES]
        text += (seen[0] if len(seen) == 1 else f"{{{'|'.join(seen)}}}") + _escaped(part)
    return text


def _counted(source: Source, found: list[Found]) -> Source:
    """Take the most frequent requests, each once with its number as the weight."""
    counts = Counter(json.dumps(one, sort_keys=True) for one in found)
    for text, number in counts.most_common(MOST):
        source.requests.append({**json.loads(text), "weight": number})
    if len(counts) > MOST:
        source.left_out.append(f"{len(counts) - MOST} kinds of requests that are less frequent")
    return source


def _openapi(document: Mapping[str, Any]) -> Source:
    """Return the operations of a document whose parameters and bodies it has values for."""
    source = Source()
    for path, item in document["paths"].items():
        for method, operation in item.items() if isinstance(item, Mapping) else ():
            if method not in METHODS or not isinstance(operation, Mapping):
                continue
            try:
                parameters = [*item.get("parameters", ()), *operation.get("parameters", ())]
                made = {method: _path(document, path, parameters), **_body(document, operation)}
            except LookupError as error:
                source.left_out.append(f"{method.upper()} {path}: {error.args[0]}")
                continue
            source.requests.append(made)
    return source


def _path(document: Mapping[str, Any], path: str, parameters: list[Any]) -> str:
    """Return a path with values for its parameters and the query's. LookupError without one."""
    inside, query = dict[str, str](), []
    for one in (_followed(document, parameter) for parameter in parameters):
        where, name = one.get("in"), str(one.get("name"))
        if where == "path":
            inside[name] = _value(document, one)
        elif where == "query" and one.get("required"):
            query.append(f"{name}={_value(document, one)}")
        elif one.get("required"):
            raise LookupError(f"needs the {where} parameter {name}")
    for name in re.findall(r"\{([^{}]*)\}", path):
        if name not in inside:
            raise LookupError(f"{{{name}}} is not described")
    filled = re.sub(r"\{([^{}]*)\}", lambda match: inside[match[1]], path)
    return filled + ("?" + "&".join(query) if query else "")


def _value(document: Mapping[str, Any], one: Mapping[str, Any]) -> str:
    """Return what stands for a parameter's values. LookupError if nothing is known of them."""
    schema = _followed(document, one.get("schema", {}))
    if levels := [str(one) for one in schema.get("enum") or ()]:
        return f"{{{'|'.join(levels)}}}" if len(levels) > 1 else levels[0]
    for given in (one.get("example"), schema.get("example"), schema.get("default")):
        if given is not None:
            return str(given)
    if schema.get("type") == "integer":
        low = int(schema.get("minimum", 1))
        return f"{{{low}..{int(schema.get('maximum', low + 99))}}}"
    raise LookupError(f"no example of {one.get('name')}")


def _body(document: Mapping[str, Any], operation: Mapping[str, Any]) -> Found:
    """Return the body of an operation, from its example. LookupError if it needs one without."""
    body = _followed(document, operation.get("requestBody", {}))
    content = body.get("content", {}).get("application/json", {})
    examples = [
        _followed(document, one).get("value") for one in content.get("examples", {}).values()
    ]
    schema = _followed(document, content.get("schema", {}))
    for given in (content.get("example"), *examples, schema.get("example")):
        if given is not None:
            return {"json": given}
    if body.get("required"):
        raise LookupError("no example of its body")
    return {}


def _followed(document: Mapping[str, Any], data: Any) -> Mapping[str, Any]:
    """Return what a reference within the document stands for."""
    for _ in range(10):
        if not (isinstance(data, Mapping) and str(data.get("$ref", "")).startswith("#/")):
            break
        found: Any = document
        for part in data["$ref"][2:].split("/"):
            key = part.replace("~1", "/").replace("~0", "~")
            if not isinstance(found, Mapping) or key not in found:
                raise LookupError(f"{data['$ref']} is not in the document")
            found = found[key]
        data = found
    return data if isinstance(data, Mapping) else {}


def _escaped(path: str) -> str:
    """Return a path in which no brace stands for a value."""
    return path.replace("{", "%7B").replace("}", "%7D").replace(" ", "%20")


def named(requests: list[Found]) -> Iterator[tuple[str, Found]]:
    """Yield each request with a name of its own, made of its method and path."""
    used: Counter[str] = Counter()
    for one in requests:
        method = next(name for name in METHODS if name in one)
        path = re.sub(r"\{[^{}]*\}", "x", one[method].partition("?")[0])
        name = "-".join([method, *re.findall(r"\w+", path)])
        used[name] += 1
        yield name if used[name] == 1 else f"{name}-{used[name]}", one


def as_toml(requests: list[Found]) -> str:
    """Return the tables `[[requests]]` of a race.toml."""
    tables = []
    for name, one in named(requests):
        lines = [f"{key} = {_toml(value)}" for key, value in {"name": name, **one}.items()]
        tables.append("\n".join(["[[requests]]", *lines]))
    return "\n\n".join(tables) + "\n"


def _toml(value: Any) -> str:
    if isinstance(value, Mapping):
        inner = ", ".join(
            f"{json.dumps(str(key))} = {_toml(one)}"
            for key, one in value.items()
            if one is not None
        )
        return f"{{ {inner} }}"
    if isinstance(value, list):
        return f"[{', '.join(_toml(one) for one in value if one is not None)}]"
    return json.dumps(value)
