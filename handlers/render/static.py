"""The files under ``static/`` and their addresses."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from typing import Dict, Tuple

from runtime.paths import ROOT

_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
}


@lru_cache(maxsize=1)
def static_files() -> Dict[str, Tuple[str, bytes]]:
    """Return the files under ``static/``: name -> (content type, content). They are read once."""
    return {
        path.name: (_TYPES[path.suffix], path.read_bytes())
        for path in sorted((ROOT / "static").iterdir())
        if path.suffix in _TYPES
    }


def static_link(name: str) -> str:
    """Return the address of a static file, which changes with the content and may be cached."""
    return f"/static/{name}?v={hashlib.sha256(static_files()[name][1]).hexdigest()[:12]}"
