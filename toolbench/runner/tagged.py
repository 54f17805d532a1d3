"""Python values as pairs of a tag and a text, and back: how values travel between processes.

A tag is the type that a driver's user gets. Types that are not known here have their own name.
"""

from __future__ import annotations

import json
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any, Callable, Dict, List, Tuple

_TEXTS: Dict[type, Tuple[str, Callable[[Any], str]]] = {
    bool: ("bool", lambda value: "true" if value else "false"),
    int: ("int", str),
    float: ("float", repr),
    str: ("text", str),
    bytes: ("bytes", bytes.hex),
    bytearray: ("bytearray", bytearray.hex),
    memoryview: ("memoryview", lambda value: value.tobytes().hex()),
    Decimal: ("decimal", str),
    datetime: ("datetime", datetime.isoformat),
    date: ("date", date.isoformat),
    time: ("time", time.isoformat),
    dict: ("json", json.dumps),
}
_VALUES: Dict[str, Callable[[str], Any]] = {
    "bytes": bytes.fromhex,
    "decimal": Decimal,
    "datetime": datetime.fromisoformat,
    "date": date.fromisoformat,
    "time": time.fromisoformat,
}


def tagged(value: Any) -> List[Any]:
    """``["int", "1"]``; ``["null", None]``; ``["array", [["int", "1"]]]``."""
    if value is None:
        return ["null", None]
    if isinstance(value, (list, tuple)):
        return ["array", [tagged(one) for one in value]]
    tag, text = _TEXTS.get(type(value), (type(value).__name__, str))
    return [tag, text(value)]


def plain(value: Any) -> Any:
    """The Python value of an argument: JSON, or ``{"bytes": "00ff"}`` where JSON has no type."""
    if isinstance(value, list):
        return [plain(one) for one in value]
    if isinstance(value, dict) and len(value) == 1:
        (tag, text), *_ = value.items()
        if tag in _VALUES:
            return _VALUES[tag](text)
    return value
