"""Meters: what is read before and after a load. One file each, one line each in the registry.

A meter finds figures by party or by name; they are saved with the cell under the meter's own name
and shown in the report. Later ones may use what earlier ones found.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from race.discipline import Machine, Party, Sample
from race.machine.trees import READINGS
from race.saved.model import Figures
from runtime.plugin import Plugin

METERS = {
    "cpu_ns": Plugin("race.machine.meters.cpu:Cpu"),
    "memory_bytes": Plugin("race.machine.meters.memory:Memory"),
    "peak_bytes": Plugin("race.machine.meters.peak:Peak"),
    "switches": Plugin("race.machine.meters.switches:Switches"),
    "cores": Plugin("race.machine.meters.cores:Cores"),
    "process_ns": Plugin("race.machine.meters.processes:ProcessTime"),
    "process_connections": Plugin("race.machine.meters.processes:ProcessConnections"),
    "busy": Plugin("race.machine.meters.busy:CoreUse"),
    "network_us": Plugin("race.machine.meters.network:Delays"),
    "network_bytes": Plugin("race.machine.meters.network:Traffic"),
}

Parties = Mapping[str, Party]
HERE = ""
"""The name of this machine."""


class Meter(Protocol):
    """One instrument. Reading it must cost little: it runs on a core that measures."""

    unit: str

    def read(self, parties: Parties) -> Any:
        """A reading, of whatever kind."""

    def between(
        self, before: Any, after: Any, sample: Sample, found: Mapping[str, Figures]
    ) -> Figures:
        """The figures of a load from two readings; `found` has those of the meters before."""


def read_tree(what: str, party: Party) -> Any:
    """Return a reading (`race.machine.trees.READINGS`) of a party's processes, on its machine."""
    if party.machine is not None:
        return party.machine.read_tree(what, party.pid)
    return READINGS[what](party.pid or 0)


def first_of(parties: Parties) -> Party:
    """Return the party under test."""
    return next(iter(parties.values()), Party(None))


def by_machine(parties: Parties) -> dict[str, tuple[Machine | None, Parties]]:
    """Return the parties of each machine by its name, this one's ("") first, unless all are on
    other ones.
    """
    there = {one.machine.name: one.machine for one in parties.values() if one.machine}
    all_there = parties and all(one.machine for one in parties.values())
    machines: dict[str, Machine | None] = {**({} if all_there else {HERE: None}), **there}
    return {
        name: (machine, {who: one for who, one in parties.items() if one.machine == machine})
        for name, machine in machines.items()
    }


def meters() -> dict[str, Meter]:
    """Return all meters in the order of the registry."""
    return {name: plugin.load()() for name, plugin in METERS.items()}
