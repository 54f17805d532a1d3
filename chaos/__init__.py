"""Faults done on purpose to the site, its databases and the harness, and what became of them.

``python -m chaos`` does them all and prints a table; ``make chaos`` writes it to
docs/reliability.md. ``FAULTS`` is the registry: a new fault is one file and one line here.
Everything is done to servers and private databases of this run alone, in a folder of its own.
"""

from __future__ import annotations

from runtime.plugin import Plugin

FAULTS = {
    "hostile": Plugin("chaos.faults.hostile:FAULT"),
    "bodies": Plugin("chaos.faults.bodies:FAULT"),
    "slow": Plugin("chaos.faults.slow:FAULT"),
    "pipelined": Plugin("chaos.faults.pipelined:FAULT"),
    "workers": Plugin("chaos.faults.workers:FAULT"),
    "databases": Plugin("chaos.faults.databases:FAULT"),
    "supervisors": Plugin("chaos.faults.supervisors:FAULT"),
    "harness": Plugin("chaos.faults.harness:FAULT"),
    "disk": Plugin("chaos.faults.disk:FAULT"),
    "room": Plugin("chaos.faults.room:FAULT"),
    "memory": Plugin("chaos.faults.memory:FAULT"),
}
