"""Values on their way between harness and runner.

A value that a driver returned is encoded as a pair: a tag, which is the type that the driver's user
gets, and a text. A type that has no tag here is tagged with its own name.
"""

from __future__ import annotations

import json
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any, Callable, Dict, List, Tuple

_ENCODERS: Dict[type, Tuple[str, Callable[[Any], str]]] = {
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
_DECODERS: Dict[str, Callable[[str], Any]] = {
    "bytes": bytes.fromhex,
    "decimal": Decimal,
    "datetime": datetime.fromisoformat,
    "date": date.fromisoformat,
    "time": time.fromisoformat,
}


def encode(value: Any) -> List[Any]:
    """Return ``["int", "1"]``, ``["null", None]`` or ``["array", [["int", "1"]]]``."""
    if value is None:
        return ["null", None]
    if isinstance(value, (list, tuple)):
        return ["array", [encode(item) for item in value]]
    tag, text = _ENCODERS.get(type(value), (type(value).__name__, str))
    return [tag, text(value)]


def decode(value: Any) -> Any:
    """Return the Python value of an argument, JSON or such as ``{"bytes": "00ff"}``."""
    if isinstance(value, list):
        return [decode(item) for item in value]
    if isinstance(value, dict) and len(value) == 1:
        (tag, text), *_ = value.items()
        if tag in _DECODERS:
            return _DECODERS[tag](text)
    return value
