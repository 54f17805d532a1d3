"""Results of version 1 as records of version 2.

Version 1 knew the sticker site alone and saved no factors: its engine names are the grammar
`<web>-<backend>-<connection>[-uvloop]`, which is frozen in those files and read nowhere but here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

JSON = dict[str, Any]

_ENGINE = re.compile(
    r"(?P<web>[^-]+)-(?P<backend>[^-]+)-(?P<connection>[^-]+?)(?P<uvloop>-uvloop)?"
)
_DISCIPLINE: JSON = {
    "name": "web",
    "unit": "requests",
    "contender": "engine",
    "task": "page",
    "parties": ["server", "generator", "database"],
    "factors": {
        "web": ["aiohttp", "sanic", "japronto"],
        "loop": ["asyncio", "uvloop"],
        "backend": ["memory", "tarantool", "aiotarantool", "postgres"],
        "connection": ["one", "pool", "multi", "query"],
        "python": [],
    },
    "tasks": {
        name: name.capitalize() for name in ("index", "good", "bad", "ugly", "about", "vote")
    },
    "headline": "good",
    "meters": {
        "cpu_ns": "ns",
        "memory_bytes": "bytes",
        "switches": "count",
        "cores": "fraction",
        "busy": "fraction",
    },
}
_SATURATED = 0.9
"""Of a core: the share from which it is full, in version 2 when version 1 went out of use."""
_RENAMED = {"requests": "count", "rps": "throughput", "page": "task"}
_MOVED = (
    *("engine", "python", "cpu_ns", "rss_bytes", "context_switches"),
    *("steal", "foreign", "database_requests", "busy", "harness_ns"),
)


def head(data: Mapping[str, Any]) -> JSON:
    """run.json of version 1 as of version 2."""
    kept = {key: value for key, value in data.items() if key != "run"}
    limits = _object(_object(data, "scenario"), "validity")
    return {
        **kept,
        "schema": 2,
        "race": data.get("run"),
        "discipline": _DISCIPLINE,
        "limits": limits,
        "contenders": [contender(one) for one in _list(data, "contenders")],
        "rejected": data.get("rejected") or [],
        "environment": {
            **_object(data, "environment"),
            "interpreters": _interpreters(data),
        },
    }


def _interpreters(data: Mapping[str, Any]) -> JSON:
    """By contender's label; the first races named them by version."""
    found = _object(_object(data, "environment"), "interpreters")
    labels = [one for one in _list(data, "contenders") if not one.get("aa")]
    by_version = {
        one["label"]: found[version]
        for one in labels
        if (version := _minor(str(one.get("python")))) in found
    }
    return by_version or found


def contender(data: Mapping[str, Any]) -> JSON:
    """A contender with the factors that its engine's name and version say."""
    return {
        "label": data.get("label"),
        "name": data.get("engine"),
        "factors": factors(str(data.get("engine")), str(data.get("python"))),
        "aa": data.get("aa", False),
    }


def factors(engine: str, python: str) -> dict[str, str]:
    """Factor to level; empty for a name of other make."""
    match = _ENGINE.fullmatch(engine)
    if match is None:
        return {}
    return {
        "web": match["web"],
        "loop": "uvloop" if match["uvloop"] else "asyncio",
        "backend": match["backend"],
        "connection": match["connection"],
        "python": _minor(python),
    }


def _minor(python: str) -> str:
    return ".".join(python.split(".")[:2])


def cell(data: Mapping[str, Any]) -> JSON:
    """A line of cells.jsonl of version 1 as of version 2."""
    kept = {_RENAMED.get(key, key): value for key, value in data.items() if key not in _MOVED}
    requests = data.get("database_requests")
    return {
        **kept,
        "schema": 2,
        **_limit(data),
        "facts": {} if requests is None else {"database_requests": requests},
        "meters": _meters(data),
    }


def _limit(data: Mapping[str, Any]) -> JSON:
    """Who was full in a measured cell, as far as version 1 says so.

    It asked whether the generator was, and nothing else; but its later files have how busy the
    server's own core was, and that is judged as a cell of today is. Where neither tells, the limit
    is not known and nobody is ranked, as in a race of today: that it was ranked in its time does
    not make it sure. CPU time per request, which version 1 metered as well, is compared instead.
    """
    if data.get("rps") is None:
        return {}
    if data.get("generator_bound"):
        return {"full": "generator"}
    server = _object(data, "busy").get("server")
    if isinstance(server, int | float) and server >= _SATURATED:
        return {"full": "server"}
    return {"full_unknown": "version 1 of the results does not say"}


def _meters(data: Mapping[str, Any]) -> JSON:
    cpu = _object(data, "cpu_ns")
    cpu.pop("foreign", None)
    if data.get("harness_ns") is not None:
        cpu["harness"] = data["harness_ns"]
    cores = {name: data[name] for name in ("steal", "foreign") if data.get(name) is not None}
    found = {
        "cpu_ns": cpu,
        "memory_bytes": _object(data, "rss_bytes"),
        "switches": _object(data, "context_switches"),
        "cores": cores,
        "busy": _object(data, "busy"),
    }
    return {name: figures for name, figures in found.items() if figures}


def _object(data: Mapping[str, Any], name: str) -> JSON:
    """A field that is an object, without nulls: what was not measured."""
    found = data.get(name) or {}
    if not isinstance(found, Mapping):
        raise ValueError(f"'{name}' is not an object")  # noqa: TRY004 - the reader's kind of error
    return {key: value for key, value in found.items() if value is not None}


def _list(data: Mapping[str, Any], name: str) -> list[JSON]:
    """A field that is a list of objects."""
    found = data.get(name) or []
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise ValueError(f"'{name}' is not a list of objects")
    return found
