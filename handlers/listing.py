"""Prints ``server.py --list``: the parts of engines, or some engines, and where they run."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

from data_interface import BACKENDS
from handlers import LOOPS, OWN, SERVERS, WEB
from handlers.availability import Availability
from handlers.engine import FORM, Engine, beginning, every_engine, parse, servers_of

Entries = Sequence[Mapping[str, Any]]


def described(engines: List[Engine], python: Optional[str]) -> List[Dict[str, Any]]:
    """Return the entry of each engine, as ``--list --json`` prints it."""
    availability = Availability(engines, python)
    return [availability.describe(engine) for engine in engines]


def chosen(name: str) -> List[Engine]:
    """Return the engines that begin so, or have this part; raise EngineError if there are none."""
    part = name.lower()
    having = [engine for engine in every_engine() if part in engine.factors.values()]
    return beginning(name) or having or [parse(name)]


def lines(entries: Entries) -> List[str]:
    """Return a line for each engine: where it runs, or why it does not."""
    width = max(len(entry["engine"]) for entry in entries)
    return [
        f"{entry['engine']:<{width}}  {_state([entry], entry['factors']['backend'])}"
        for entry in entries
    ]


def overview(entries: Entries) -> List[str]:
    """Return the parts of all engines, each with where it runs, or why it does not."""
    found = []
    for factor, title, about, levels in _parts():
        widths = [max(map(len, column)) for column in zip((title, about), *levels.items())]
        found.append(f"{title:<{widths[0]}}  {about:<{widths[1]}}".rstrip())
        for level, detail in levels.items():
            state = _state([entry for entry in entries if entry["factors"][factor] == level], level)
            found.append(f"{level:<{widths[0]}}  {detail:<{widths[1]}}  {state}")
        found.append("")
    runs = sum(entry["runs"] for entry in entries)
    return [
        *found,
        *_no_render(entries),
        f"An engine is {FORM}; {runs} of {len(entries)} run here.",
        "The engines that have one of these parts: --list -e fastapi; all engines: --list --json.",
    ]


def _no_render(entries: Entries) -> List[str]:
    """Return a line for each way to render that an interpreter of the engines lacks."""
    ways = {
        f"--render {way} on CPython {entry['python']}  - {reason}"
        for entry in entries
        for way, reason in entry["no_render"].items()
    }
    return sorted(ways)


def _parts() -> List[Tuple[str, str, str, Dict[str, str]]]:
    """Return each factor of an engine's name with its headings, and a detail of each level."""
    servers = {
        web: ", ".join("its own" if name == OWN else name for name in servers_of(web))
        for web in WEB
    }
    interfaces = {name: ", ".join(it.interfaces) for name, it in SERVERS.items() if name != OWN}
    connections = {name: ", ".join(it.connections) for name, it in BACKENDS.items()}
    return [
        ("web", "web framework", "servers, the plain one first", servers),
        ("server", "server", "interface", interfaces),
        ("backend", "backend", "connection modes", connections),
        ("loop", "loop", "", dict.fromkeys(LOOPS, "")),
    ]


def _state(entries: Entries, level: str) -> str:
    """Return where the first of these runs; if none does, the reason that names the least."""
    pythons = [entry["python"] for entry in entries if entry["runs"]]
    if not pythons:
        reasons: List[str] = [entry["reason"] for entry in entries]
        return "- " + min(reasons, key=len)
    note = BACKENDS[level].note if level in BACKENDS else ""
    return f"CPython {pythons[0]}" + (f" ({note})" if note else "")
