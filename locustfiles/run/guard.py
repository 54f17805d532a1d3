"""The guard on the master: a worker that is lost halves the load, and Locust ends with status 0."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

# Workers send a heartbeat each second; Locust misses one after three.
ROLL_CALL_SECONDS = 4.0
LOOK_SECONDS = 1.0
MISSING = "missing"


class Guard:
    """Knows the workers that a run has had, and who of them is still there.

    ``clients`` are the master's nodes by id, each with a ``state``; they change while it looks.
    """

    def __init__(self, clients: Any, sleep: Callable[[float], Any] = time.sleep) -> None:
        self._clients = clients
        self._sleep = sleep
        self._heard: dict[str, float] = {}
        self.expected = {one for one in clients if clients[one].state != MISSING}

    def joined(self, client_id: str, **_: Any) -> None:
        """One came while the run goes on: Locust gives it users (event ``worker_connect``)."""
        self.expected.add(client_id)

    def heard(self, client_id: str, **_: Any) -> None:
        """A heartbeat came (Locust's event ``heartbeat_sent``, which is its answer)."""
        self._heard[client_id] = time.monotonic()

    def lost(self) -> set[str]:
        """Workers that left or fell silent; only while the run goes on."""
        return {one for one in self.expected if self._state(one) == MISSING}

    def roll_call(self) -> set[str]:
        """At the end of a run: those who send no heartbeat any more, also before Locust misses
        them. Waits for the next of each, a second or so, and no longer than ROLL_CALL_SECONDS.
        """
        began = time.monotonic()
        while time.monotonic() - began < ROLL_CALL_SECONDS:
            if not self._silent(began) - self.lost():
                break
            self._sleep(0.1)
        return self._silent(began) | self.lost()

    def sentence(self, lost: set[str]) -> str:
        """For the reports."""
        return f"{len(lost)} of {len(self.expected)} workers lost: {', '.join(sorted(lost))}"

    def _silent(self, since: float) -> set[str]:
        return {one for one in self.expected if self._heard.get(one, 0.0) < since}

    def _state(self, one: str) -> str:
        node = self._clients.get(one)
        return MISSING if node is None else str(node.state)
