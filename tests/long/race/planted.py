"""Counts how often `race why` names a planted function first: `... -m tests.long.race.planted DIR`.

An application of a few functions races with one that has one function more, which takes 10 % of a
request's CPU time and is called in one of four places. `race why` then runs on the saved races, 20
times in all, for as few rounds as it may. Every answer is a line of DIR/planted.jsonl; what is
there already does not run again.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path

from runtime.paths import ROOT

FILE = "planted.jsonl"
LIMIT_S = 1200
APP = """
import asyncio, json, sys, time

def parsed(head):
    end = time.thread_time_ns() + 100_000
    while time.thread_time_ns() < end:
        pass
    return head.split(b" ", 2)[1].decode()

def queried(path):
    end = time.thread_time_ns() + 200_000
    while time.thread_time_ns() < end:
        pass
    return {"path": path}

def encoded(found):
    end = time.thread_time_ns() + 100_000
    while time.thread_time_ns() < end:
        pass
    return json.dumps(found).encode()

async def serve(reader, writer):
    try:
        while head := await reader.readuntil(b"\\r\\n\\r\\n"):
            body = encoded(queried(parsed(head)))
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
PLANTED = """
def planted():
    end = time.thread_time_ns() + 50_000
    while time.thread_time_ns() < end:
        pass
"""
PLACES = {
    "parse": "def parsed(head):\n",
    "query": "def queried(path):\n",
    "encode": "def encoded(found):\n",
    "request": '\\r\\n\\r\\n"):\n',
}
"""The line after which it is called."""
SCENARIO = f"""
discipline = "app"
title = "A planted function"
serve = "{sys.executable} {{version}} {{port}}"
[factors.version]
plain = "plain/app.py"
slow = "slow/app.py"
[load]
duration_s = 0.5
connections = 8
max_connections = 8
[limits]
steal = 1.0
foreign = 1.0
[[requests]]
name = "it"
get = "/it"
"""


def main(options: argparse.Namespace) -> None:
    """Profile what is missing, and say how often the planted function came first."""
    options.folder.mkdir(parents=True, exist_ok=True)
    path = options.folder / FILE
    done = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    for number in range(len(done), options.times):
        place = list(PLACES)[number % len(PLACES)]
        one = {"place": place, "number": number, **profiled(raced(options.folder / place, place))}
        with path.open("a") as file:
            file.write(json.dumps(one) + "\n")
        done.append(one)
        print(one, file=sys.stderr, flush=True)
    first = sum(one["first"].startswith("planted (") for one in done)
    sure = sum(one["low"] is not None and one["low"] > 0 for one in done)
    print(f"first in {first} of {len(done)}, with an interval above 0 in {sure}")


def raced(folder: Path, place: str) -> Path:
    """Return a saved race of both, which runs if there is none."""
    results = folder / "results"
    if found := sorted(results.glob("*/run.json")):
        return found[-1].parent
    folder.mkdir(exist_ok=True)
    line = PLACES[place]
    indent = " " * (12 if place == "request" else 4)
    slow = APP.replace(line, f"{line}{indent}planted()\n", 1).replace(
        "\ndef parsed", f"{PLANTED}\ndef parsed", 1
    )
    # A function's name has that of its file.
    for name, text in (("plain", APP), ("slow", slow)):
        (folder / name).mkdir(exist_ok=True)
        (folder / name / "app.py").write_text(text)
    (folder / "race.toml").write_text(SCENARIO)
    harness("run", str(folder / "race.toml"), "--rounds", "1", "--results", str(results))
    return max(results.glob("*/run.json")).parent


def profiled(race: Path) -> dict[str, object]:
    """Return the function that `race why` names first, its difference, and how long that took."""
    began = time.monotonic()
    words = ["why", str(race), "--rounds", "3", "--json", "--run-programs"]
    said = harness(*words, "--results", str(race.parent))
    rows = json.loads(said)["function"]
    took = round(time.monotonic() - began, 1)
    return {"first": rows[0]["name"], **rows[0]["difference"], "seconds": took}


def harness(*words: str) -> str:
    """Run a command of `race` and return its output. CalledProcessError if it is used wrongly."""
    command = [sys.executable, "-m", "race", *words]
    done = subprocess.run(
        command, cwd=ROOT, timeout=LIMIT_S, check=False, stdout=subprocess.PIPE, text=True
    )
    if done.returncode == 2:
        raise subprocess.CalledProcessError(done.returncode, command)
    return done.stdout


def arguments() -> argparse.Namespace:
    """Return the words of the command line."""
    parser = argparse.ArgumentParser(description="How often a planted function is named first.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--times", type=int, default=20)
    return parser.parse_args()


if __name__ == "__main__":
    main(arguments())
