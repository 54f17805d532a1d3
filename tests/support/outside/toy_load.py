"""A load generator of one connection, in a few lines of Python."""

from __future__ import annotations

import json
import sys

from race.discipline import Sample
from race.load.generator import LoadResult, Target
from race.saved.model import Load

PROGRAM = """
import http.client, json, sys, time, urllib.parse
url, path, seconds = sys.argv[1], sys.argv[2], float(sys.argv[3])
connection = http.client.HTTPConnection(urllib.parse.urlsplit(url).netloc)
began = time.monotonic()
count = 0
while time.monotonic() < began + seconds:
    connection.request("GET", path)
    count += connection.getresponse().read() != b""
print(json.dumps({"count": count, "seconds": time.monotonic() - began}))
"""


class ToyLoad:
    """A load generator outside the project: ``race.load.generator`` describes the methods."""

    open_loop = False
    interruptible = False
    version = ("true",)

    def missing(self) -> str | None:
        return None

    def command(self, target: Target, load: Load) -> list[str]:
        return [sys.executable, "-c", PROGRAM, target.url, target.path, str(load.duration_s)]

    def parse(self, output: str, load: Load) -> LoadResult:
        found = json.loads(output)
        return LoadResult(Sample(found["count"], found["seconds"]))
