"""Finds lost workers: each takes its users with it, and Locust itself would end with status 0."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from locustfiles.timeouts import TIMEOUTS

MISSING = "missing"  # the state of a worker whose heartbeats Locust has missed for three seconds


class WorkerGuard:
    """Knows the workers of a run, and which of them are still there.

    `clients` are the master's nodes by id, each with a `state`; they change during the run.
    """

    def __init__(self, clients: Any, sleep: Callable[[float], Any] = time.sleep) -> None:
        self._clients = clients
        self._sleep = sleep
        self._heartbeats: dict[str, float] = {}
        self.expected = {one for one in clients if clients[one].state != MISSING}

    def add(self, client_id: str, **_: Any) -> None:
        """Expect a worker that joined during the run (Locust's event `worker_connect`)."""
        self.expected.add(client_id)

    def note_heartbeat(self, client_id: str, **_: Any) -> None:
        """Note a heartbeat; the event `heartbeat_sent` is the master's answer to one."""
        self._heartbeats[client_id] = time.monotonic()

    def lost(self) -> set[str]:
        """Return the workers that left or fell silent while the run goes on."""
        return {one for one in self.expected if self._state(one) == MISSING}

    def lost_at_the_end(self) -> set[str]:
        """Wait for one more heartbeat of each worker; return the workers that send none.

        A worker that died a moment ago is not MISSING yet. The wait takes about a second.
        """
        began = time.monotonic()
        while time.monotonic() - began < TIMEOUTS.heartbeat:
            if not self._silent(began) - self.lost():
                break
            self._sleep(0.1)
        return self._silent(began) | self.lost()

    def reason(self, lost: set[str]) -> str:
        """Return the sentence for the reports."""
        return f"{len(lost)} of {len(self.expected)} workers lost: {', '.join(sorted(lost))}"

    def _silent(self, since: float) -> set[str]:
        return {one for one in self.expected if self._heartbeats.get(one, 0.0) < since}

    def _state(self, one: str) -> str:
        node = self._clients.get(one)
        return MISSING if node is None else str(node.state)
