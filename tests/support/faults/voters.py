"""Clients: a page on a connection of its own, and visitors who vote until they are stopped."""

from __future__ import annotations

import contextlib
import http.client
import threading
import time
from types import TracebackType
from typing import NamedTuple

from tests.long.faults.page import Votes
from tests.support.site_client import FORM, Answer, Client, read_ballot
from tests.support.site_server import Databases, SiteServer, until

SECONDS = 5.0
PAUSE_SECONDS = 0.05
COUNT_SECONDS = 10.0
LOST = (OSError, http.client.HTTPException)


def answer(server: SiteServer, path: str, seconds: float = SECONDS) -> Answer | None:
    """Return the answer to one request, or None when there is none in time."""
    client = Client(server.url, seconds)
    try:
        return client.ask("GET", path)
    except LOST:
        return None
    finally:
        client.close()


def serves(server: SiteServer, path: str = "/ugly", seconds: float = SECONDS) -> bool:
    """Return whether a page is answered with 200 in time."""
    found = answer(server, path, seconds)
    return found is not None and found.status == 200


class Acknowledged(NamedTuple):
    """A vote that the site said it had counted, by the clock of `time.monotonic`."""

    ballot_requested: float
    acknowledged: float


class Voters:
    """Visitors who fetch ballots and vote, in threads, for the length of a ``with`` block."""

    def __init__(self, url: str, number: int = 4) -> None:
        self.acknowledged: list[Acknowledged] = []
        self.undecided = 0
        self.refused = 0
        self._url = url
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._threads = [threading.Thread(target=self._run, daemon=True) for _ in range(number)]

    def __enter__(self) -> Voters:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join(4 * SECONDS)

    def wait(self, number: int, seconds: float) -> None:
        """Wait until so many votes were acknowledged."""
        until(lambda: len(self.acknowledged) >= number, seconds, "votes are not taken")

    def vote_after(self, moment: float, seconds: float) -> float:
        """Return when the first vote was acknowledged whose ballot was requested after a moment."""

        def first() -> float | None:
            with self._lock:
                recent = self.acknowledged[-200:]
            times = [one.acknowledged for one in recent if one.ballot_requested > moment]
            return min(times, default=None)

        found: float = until(first, seconds, f"no vote was taken within {seconds:.0f} s")
        return found

    def votes(self, databases: Databases, engine: str, before: int) -> Votes:
        """Return what became of all votes, once the database answers again."""
        now: list[int] = []

        def count() -> bool:
            with contextlib.suppress(Exception):
                now.append(databases.statistics_of(engine).votes)
            return bool(now)

        until(count, COUNT_SECONDS, "the votes could not be counted")
        return Votes(len(self.acknowledged), self.undecided, now[-1] - before)

    def _run(self) -> None:
        while not self._stop.is_set():
            client = Client(self._url, SECONDS)
            while self._vote(client) and not self._stop.is_set():
                pass
            client.close()
            self._stop.wait(PAUSE_SECONDS)

    def _vote(self, client: Client) -> bool:
        """Fetch a ballot and vote once; return False when the connection is of no more use."""
        requested = time.monotonic()
        try:
            page = client.ask("GET", "/")
            if page.status != 200:
                return False
            found = read_ballot(page.text)
        except LOST:
            return False
        form = f"vote_plus={found.plus}&vote_minus={found.minus}".encode()
        try:
            reply = client.ask("POST", "/", form, {"Content-Type": FORM})
        except LOST:
            reply = None
        with self._lock:
            if reply is None or reply.status != 303:
                self.undecided += 1
            elif reply.headers["location"].endswith("voted=1"):
                self.acknowledged.append(Acknowledged(requested, time.monotonic()))
            else:
                self.refused += 1
        return reply is not None and reply.status == 303
