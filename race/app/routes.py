"""Guesses what an application is asked, and where its data is, from its source."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

SUFFIXES = {".py", ".go", ".js", ".mjs", ".ts"}
ROUTES = {
    ".py": r"(?:@[\w.]*\b(?:get|route)|\bRoute|\.add_get|\bweb\.get)",
    ".go": r"(?:\.(?:HandleFunc|Handle|GET|Get))",
    ".js": r"(?:\b(?:app|router|server|fastify)\.get)",
}
"""The code before the path of a route that answers GET, by the end of a file's name."""
PATH = r"""\(\s*["'`](?:GET )?(/[^"'`\s{}<>:*?$]*)["'`]([^\n]*)"""
POSTS = re.compile(r"methods\s*=(?!.*\bGET\b)")
READY = ("/health", "/healthz", "/ready", "/readyz", "/ping", "/status")
POSTGRES = re.compile(r"asyncpg|psycopg|postgres|\bpgx\b|lib/pq|[\"']pg[\"']", re.IGNORECASE)
PREPARES = {
    "alembic.ini": "alembic upgrade head",
    "manage.py": "python manage.py migrate",
    "migrate.py": "python migrate.py",
}


@dataclass(frozen=True)
class Hints:
    """The findings of the source: a page, a page that tells that the server is ready, whether it
    reads DATABASE_URL of PostgreSQL, and the command that makes the tables. "" is unknown.
    """

    page: str = ""
    ready: str = ""
    postgres: bool = False
    prepare: str = ""


def hints(folder: Path, files: list[Path]) -> Hints:
    """Return what some files of an application say; its routes are taken from them in order."""
    texts = [(path.suffix, _text(path)) for path in files if path.suffix in SUFFIXES]
    paths = [path for suffix, text in texts for path in _paths(suffix, text)]
    pages = [path for path in paths if path not in READY]
    source = "\n".join(text for _, text in texts)
    makes = (command for name, command in PREPARES.items() if (folder / name).exists())
    return Hints(
        page="/" if "/" in pages else next(iter([*pages, *paths]), ""),
        ready=next((path for path in paths if path in READY), ""),
        postgres="DATABASE_URL" in source and POSTGRES.search(source) is not None,
        prepare=next(makes, ""),
    )


def _paths(suffix: str, text: str) -> Iterator[str]:
    """Yield the paths, without parameters, of a module's routes that answer GET."""
    form = ROUTES.get(suffix, ROUTES[".js"])
    for match in re.finditer(form + PATH, text):
        if not POSTS.search(match[2]):
            yield match[1]


def _text(path: Path) -> str:
    try:
        return path.read_text(errors="replace")
    except OSError:
        return ""
