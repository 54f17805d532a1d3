"""The published schema, made from the records: `python -m race.saved.schema` writes schema.json."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec

from race.saved.head import Head
from race.saved.model import SCHEMA, Cell

FILE = Path(__file__).with_name("schema.json")


def schema() -> dict[str, Any]:
    """run.json's schema (draft 2020-12), with that of a line of cells.jsonl in `$defs/Cell`."""
    (head, _), definitions = msgspec.json.schema_components(
        [Head, Cell], ref_template="#/$defs/{name}"
    )
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:python-loop-races:results:{SCHEMA}",
        "title": f"Results of a race, version {SCHEMA}",
        "description": (
            "A results folder holds run.json (this schema) and cells.jsonl, where every line is "
            "one object of $defs/Cell. Readers ignore fields they do not know; a field that "
            "changes its meaning or goes away raises the version."
        ),
        **head,
        "$defs": definitions,
    }


def text() -> str:
    """The file as it is published."""
    return json.dumps(schema(), indent=1) + "\n"


if __name__ == "__main__":
    FILE.write_text(text())
