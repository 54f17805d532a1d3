"""The routes and cookies of applications that are written without a framework."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Tuple
from urllib.parse import unquote

from handlers.site import Route

Found = Tuple[Any, Tuple[str, ...]]


class Table:
    """The routes by method and path; ``handlers`` are their answers, in the same order."""

    def __init__(self, routes: List[Route], handlers: List[Any]) -> None:
        self._fixed: Dict[Tuple[str, str], Found] = {}
        self._others: List[Tuple[str, List[str], Any]] = []
        for route, handler in zip(routes, handlers):
            for method in ("GET", "HEAD") if route.method == "GET" else (route.method,):
                if "{" in route.path:
                    self._others.append((method, route.path.split("/"), handler))
                else:
                    self._fixed[method, route.path] = handler, ()

    def find(self, method: str, path: str) -> Optional[Found]:
        """Return what answers a request, and the parameters of its path; None without a route."""
        found = self._fixed.get((method, path))
        if found is not None:
            return found
        given = path.split("/")
        for wanted_method, wanted, handler in self._others:
            if wanted_method == method and len(wanted) == len(given):
                pairs = list(zip(wanted, given))
                if all(a == b or (a[:1] == "{" and b) for a, b in pairs):
                    return handler, tuple(unquote(b) for a, b in pairs if a[:1] == "{")
        return None


def cookies_in(header: str) -> Dict[str, str]:
    """Return the cookies of a header by their names, the first of those with one name."""
    found: Dict[str, str] = {}
    for pair in header.split(";"):
        key, _, text = pair.strip(" ").partition("=")
        found.setdefault(key, text)
    return found
