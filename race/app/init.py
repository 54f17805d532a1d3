"""`race init`: write the first race.toml of an application."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from race.app import guess, routes, sources
from race.commands import Command
from race.errors import RaceError

FILE = "race.toml"
TEXT = """\
# How fast is this application? `race run {file}`; `race run {file} --dry-run` shows the plan.
discipline = "app"
title = {title}

# The command that serves it on 127.0.0.1:{{port}}; it stays in the foreground. {guessed}
serve = {serve}
# What runs once before the race, such as an installation.
{build}
# A path that is answered below 400 once the server is ready. Without it, any answer to / counts.
{ready}

# A database of its own for each server ("postgres", "mysql" or "tarantool"), filled once:
{database}

# Several servers? Each level stands where its factor's name stands in braces, in all combinations:
# serve = "{{server}} --port {{port}}"
# [factors.server]
# uvicorn = "uvicorn shop:app --no-access-log"
# granian = "granian --interface asgi shop:app --no-access-log"

# The requests: get, post, put, patch or delete with a path. {{1..50}}, {{red|green}} and
# {{users.csv:name}} stand for values, the same for every server.
"""
REQUESTS = """\
[[requests]]
name = "front"
get = PAGE
expect = { status = 200 }

# [[requests]]
# name = "buy"
# post = "/orders"
# json = { item = "{1..1000}", count = 1 }
# weight = 0.25
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the folder of the application."""
    parser.add_argument(
        "folder", nargs="?", type=Path, default=Path(), metavar="FOLDER", help="default: this one"
    )
    text = "take the requests from a HAR file, an OpenAPI document or an access log"
    parser.add_argument("--from", dest="source", type=Path, metavar="FILE", help=text)


def run(options: argparse.Namespace) -> int:
    """Write race.toml and say what to look at. RaceError if there is one, or no folder."""
    folder: Path = options.folder
    if not folder.is_dir():
        raise RaceError(f"{folder} is no folder")
    path = folder / FILE
    found = guess.guess(folder.resolve())
    source = sources.read(options.source) if options.source else None
    said = routes.hints(folder, guess.sources(folder.resolve(), found))
    requests = REQUESTS.replace("PAGE", json.dumps(said.page or "/"))
    if source:
        requests = sources.as_toml(source.requests)
    try:
        with path.open("x") as file:
            file.write(content(folder.resolve(), found, said) + requests)
    except FileExistsError:
        raise RaceError(f"{path} is there already: edit it, or move it away") from None
    except OSError as error:
        raise RaceError(f"cannot write {path}: {error.strerror}") from None
    serve = found.serve if found else guess.form(folder)
    if options.json:
        print(json.dumps({"file": str(path), "serve": serve, "guessed": found is not None}))
        return 0
    for text in source.left_out if source else ():
        print(f"left out: {text}", file=sys.stderr)
    if source and source.secret:
        print(f"{path} has cookies of the recording: they may be secrets", file=sys.stderr)
    print(f"{path}: serve = {serve!r}" + ("" if found else ", which you must change"))
    print(f"look at it, then: race run {path}")
    return 0


def content(folder: Path, found: guess.Guess | None, said: routes.Hints) -> str:
    """Return the text of the file up to its requests."""
    where = found and found.file.relative_to(folder)
    build = guess.build(folder)
    return TEXT.format(
        file=FILE,
        title=json.dumps(folder.name, ensure_ascii=False),
        serve=json.dumps(found.serve if found else guess.form(folder)),
        guessed=f"Guessed: {where} creates {found.framework}'s application." if found else "",
        build=f"build = {json.dumps(build)}" if build else '# build = "uv sync --frozen"',
        ready=f"ready = {json.dumps(said.ready)}" if said.ready else '# ready = "/health"',
        database=_database(folder, said),
    )


def _database(folder: Path, said: routes.Hints) -> str:
    """Return the lines of a database: comments, unless the source reads its address."""
    prepare = json.dumps(guess.run(folder, said.prepare or "python migrate.py"))
    line = "" if said.postgres else "# "
    return "\n".join(
        (
            f'{line}database = "postgres"',
            f"{line if said.prepare else '# '}prepare = {prepare}",
            f'{line}env = {{ DATABASE_URL = "{{database_url}}" }}',
        )
    )


COMMAND = Command("write the first race.toml of an application", arguments, run)
