"""One accent for each web framework, the same in every chart and table.

The variables are defined in templates/style.css, for light, dark and paper.
"""

from __future__ import annotations

from collections.abc import Iterable

_OWN = ("aiohttp", "sanic", "japronto")
_SPARE = 5


def accents(webs: Iterable[str]) -> dict[str, str]:
    """Web framework to the name of its accent; frameworks without one of their own share spares."""
    others = sorted(set(webs) - set(_OWN))
    spare = {web: f"spare{place % _SPARE + 1}" for place, web in enumerate(others)}
    return {**{web: web for web in _OWN}, **spare}
