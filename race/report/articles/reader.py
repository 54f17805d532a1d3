"""Reading the claims of articles."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from race.errors import RaceError
from race.plan.read import converted, toml
from race.report.articles.claimed import Article


def read(folder: Path) -> list[Article]:
    """The articles of a folder; RaceError in one line where a file is not right."""
    paths = sorted(folder.glob("*.toml"))
    if not paths:
        raise RaceError(f"no claims in {folder}: it has no file *.toml")
    key = "key of the claims"
    return [converted(toml(path), Article, path.name, f"{key} in {path.name}") for path in paths]


def asked(articles: Iterable[Article]) -> list[str]:
    """The scenarios that claims ask for."""
    return sorted({question.race for article in articles for question in article.questions()})
