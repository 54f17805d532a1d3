"""Locust as a generator of the race: one run without a page, watched, and its report as a line."""

from __future__ import annotations

import json
import signal
import sys
import tempfile
import time
from pathlib import Path
from types import FrameType
from typing import NoReturn

import msgspec
from msgspec import Struct

from race.errors import RaceError
from race.web.locust.locusts import Locusts, Plan
from race.web.locust.sampler import Sampler
from runtime.address import Address

MARK = "json: "
LOOK_SECONDS = 0.1
# Who raced us waits no longer than `process.STOP_SECONDS` for all of it.
END_SECONDS = 5.0
FAILED = 1
# Failures are figures here, which the race judges.
ANY_FAILURES = ("--fail-ratio", "100%")


class Errand(Struct, frozen=True, kw_only=True):
    """What is to be run. Without a `shape`, `users` at once for `seconds`. The other fields are
    those of `load.generator.Beside`.
    """

    host: str
    user: str
    shape: str
    options: tuple[tuple[str, str], ...]
    users: int
    seconds: int
    server: int | None
    database: int | None
    where: Address | None

    def text(self) -> str:
        """As one word of a command line, without user and password of the database."""
        where = self.where and Address(self.where.path, self.where.host, self.where.port)
        return msgspec.json.encode(msgspec.structs.replace(self, where=where)).decode()

    def plan(self) -> Plan:
        """For Locust."""
        if self.shape:
            more = [f"--{name.replace('_', '-')}={value}" for name, value in self.options]
        else:
            more = ["-u", str(self.users), "-r", str(self.users), "-t", f"{self.seconds}s"]
        return Plan(self.shape, [self.user], more=[*ANY_FAILURES, *more])


def main(word: str) -> int:
    """Run it and print the report; Locust's own status where it left none."""
    errand = msgspec.json.decode(word, type=Errand)
    signal.signal(signal.SIGTERM, stop)
    with tempfile.TemporaryDirectory(prefix="locust-") as name:
        folder = Path(name)
        status = run(errand, folder)
        written = sorted(folder.glob("reports/*/report.json"))
        if status or not written:
            return status or FAILED
        report = json.loads(written[-1].read_text(encoding="utf-8"))
    print(MARK + json.dumps(report), flush=True)
    return 0


def run(errand: Errand, folder: Path) -> int:
    """Locust from its start to its end; its exit status."""
    samples = folder / "samples.jsonl"
    samples.touch()
    sampler = Sampler(samples, errand.server, errand.database, errand.where, folder / "figures")
    locusts = Locusts(errand.plan(), errand.host, folder / "reports", samples)
    try:
        locusts.start()
        while locusts.running():
            sampler.look()
            time.sleep(LOOK_SECONDS)
    finally:
        status = locusts.end(END_SECONDS)
    return status


def stop(number: int, frame: FrameType | None) -> NoReturn:
    """SIGTERM: the race ends, and so does Locust."""
    sys.exit(128 + number)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1]))
    except RaceError as error:
        print(error, file=sys.stderr)
        sys.exit(FAILED)
