"""Live sittings of the gate: `python -m tests.long.race.sittings FOLDER`.

Each sitting makes a repository of a small application with two commits and runs `race gate` on it,
for few rounds of short cells. The commits are equal, or equal but for what a server imports at its
start, or one request costs 10 % more CPU time in its handler and the other one in its query. Every
answer is a line of FOLDER/sittings.jsonl; a sitting that is there already does not run again. By
default there are 100 equal sittings and 20 of each other kind, in turn.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from race.app.commits.checkouts import AUTHOR_ENV, git
from runtime.paths import ROOT

FILE = "sittings.jsonl"
LIMIT_S = 1200
"""The longest that one sitting may take."""

APP = """
import asyncio, json, sqlite3, sys, time

HANDLER_US, ROWS = 400, 4000
base = sqlite3.connect(":memory:")
base.execute("create table numbers as with recursive n(x) as "
             "(select 1 union all select x + 1 from n where x < 100000) select x from n")

def handled():
    end = time.thread_time_ns() + HANDLER_US * 1000
    while time.thread_time_ns() < end:
        pass
    return {"handled": True}

def queried():
    rows = base.execute("select sum(x * x % 7) from (select x from numbers limit ?)", [ROWS])
    return {"rows": len(rows.fetchall())}

ANSWERS = {b"/handled": handled, b"/queried": queried}

async def serve(reader, writer):
    try:
        while head := await reader.readuntil(b"\\r\\n\\r\\n"):
            path = head.split(b" ", 2)[1]
            body = json.dumps(ANSWERS[path]()).encode() if path in ANSWERS else b"{}"
            writer.write(b"HTTP/1.1 200 OK\\r\\nContent-Type: application/json\\r\\n"
                         b"Content-Length: %d\\r\\n\\r\\n%s" % (len(body), body))
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        writer.close()

async def main():
    async with await asyncio.start_server(serve, "127.0.0.1", int(sys.argv[1])) as server:
        await server.serve_forever()

asyncio.run(main())
"""
IMPORTS = (
    "import ast, csv, decimal, difflib, email.message, fractions, html, pdb, xml.dom.minidom\n"
)
KINDS = {
    "equal": ("", ""),
    "imports": ("\nHANDLER_US", f"\n{IMPORTS}HANDLER_US"),
    "slower": ("HANDLER_US, ROWS = 400, 4000", "HANDLER_US, ROWS = 443, 4470"),
}
"""Texts that the second commit replaces: "slower" takes some 10 % more time for each request."""
TASKS = ("handled", "queried")
NOISY = [
    *("--set", "limits.foreign=1", "--set", "limits.steal=1"),
    *("--set", "limits.quiet_wait_s=0", "--set", "limits.reruns=0"),
]
"""A cell counts whatever else the machine does: the gate would wait, and measure it again."""
SCENARIO = """
discipline = "app"
title = "A sitting"
serve = "{python} app.py {{port}}"
[load]
duration_s = {duration_s}
connections = 8
max_connections = 8
[warmup]
window_s = 0.1
windows = 1
[[requests]]
name = "handled"
get = "/handled"
[[requests]]
name = "queried"
get = "/queried"
"""


def main(options: argparse.Namespace) -> None:
    """Run the sittings that are missing, and sum up all."""
    folder: Path = options.folder
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / FILE
    done = read(path)
    for kind, number in wanted(options.equal, options.planted):
        if any((one["kind"], one["number"]) == (kind, number) for one in done):
            continue
        found = {"kind": kind, "number": number, **sitting(kind, options)}
        with path.open("a") as file:
            file.write(json.dumps(found) + "\n")
        done.append(found)
        print(f"{kind} {number + 1}: {found['status']}", file=sys.stderr, flush=True)
    for line in summed(done):
        print(line)


def read(path: Path) -> list[dict[str, object]]:
    """Return the sittings that ran."""
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def wanted(equal: int, planted: int) -> Iterator[tuple[str, int]]:
    """Yield kinds and numbers, in turn, so that an interrupted run has some of each."""
    numbers = {kind: equal if kind == "equal" else planted for kind in KINDS}
    for number in range(max(numbers.values())):
        yield from ((kind, number) for kind, most in numbers.items() if number < most)


def sitting(kind: str, options: argparse.Namespace) -> dict[str, object]:
    """Run the gate on two commits, and return its exit status, its time and its answer."""
    with TemporaryDirectory(dir=options.folder) as place:
        scenario = SCENARIO.format(python=sys.executable, duration_s=options.duration)
        repository(Path(place), scenario, *KINDS[kind])
        words = ["gate", "HEAD~1", "HEAD", "--file", f"{place}/race.toml", "--json"]
        words += ["--requests", "handled,queried", "--within", "1h"]
        words += ["--rounds", str(options.rounds)]
        words += [] if options.p99 else ["--set", "load.rates_of_slowest=[]"]
        words += NOISY if options.noisy else []
        began = time.monotonic()
        done = subprocess.run(
            [sys.executable, "-m", "race", *words, "--results", f"{place}/results"],
            capture_output=True,
            text=True,
            timeout=LIMIT_S,
            check=False,
            cwd=ROOT,
        )
        took = round(time.monotonic() - began, 1)
        answer = json.loads(done.stdout) if done.stdout else done.stderr[-500:]
        return {"status": done.returncode, "seconds": took, "answer": answer}


def repository(place: Path, scenario: str, old: str, new: str) -> None:
    """Make a repository of two commits, the second one with `new` in place of `old`."""
    git(place, "init", "--quiet", "--initial-branch", "main")
    (place / "race.toml").write_text(scenario)
    for text in (APP, APP.replace(old, new, 1)):
        (place / "app.py").write_text(text)
        git(place, "add", "app.py")
        git(place, "commit", "--quiet", "--allow-empty", "--message", "change", env=AUTHOR_ENV)


def summed(done: list[dict[str, object]]) -> Iterator[str]:
    """Yield how the sittings of each kind ended: 1 is an alarm, 3 is open."""
    for kind in KINDS:
        each = [one for one in done if one["kind"] == kind]
        found = Counter(one["status"] for one in each)
        ends = ", ".join(f"{number} with {status}" for status, number in sorted(found.items()))
        yield f"{kind}: {len(each)} sittings ({ends})"
        for task in TASKS:
            alarms = sum(alarmed(one, task) for one in each)
            yield f"  {task}: {alarms} shown slower"


def alarmed(sitting: dict[str, object], task: str) -> bool:
    """Return whether a sitting's gate showed a request to be slower by any of its measures."""
    answer = sitting["answer"]
    checks = answer["checks"] if isinstance(answer, dict) else []
    return any(check["task"] == task and check["outcome"] == "slower" for check in checks)


def arguments() -> argparse.Namespace:
    """Return the words of the command line."""
    parser = argparse.ArgumentParser(description="Live sittings of the gate.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--equal", type=int, default=100)
    parser.add_argument("--planted", type=int, default=20, help="of each other kind")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--duration", type=float, default=0.5, help="of a cell, in seconds")
    parser.add_argument("--noisy", action="store_true", help="count disturbed cells")
    parser.add_argument("--p99", action="store_true", help="at one rate, too: twice as long")
    return parser.parse_args()


if __name__ == "__main__":
    main(arguments())
