"""Meters the network between this machine and those of other parties."""

from __future__ import annotations

from collections.abc import Mapping

from race.discipline import Sample
from race.machine.meters import Parties
from race.saved.model import Figures


class Delays:
    """Microseconds of a round trip to the party under test, and of the difference of clocks.

    They are taken before a load, when the network is idle.
    """

    unit = "us"

    def read(self, parties: Parties) -> Figures:
        """Read the delays of each party on another machine."""
        return {
            f"{name} {what}": figure
            for name, party in parties.items()
            if party.machine is not None
            for what, figure in party.machine.network().items()
        }

    def between(
        self, before: Figures, after: Figures, sample: Sample, found: Mapping[str, Figures]
    ) -> Figures:
        """Return the delays before the load."""
        return before


class Traffic:
    """Bytes that the machines of other parties received and sent, on all their networks."""

    unit = "bytes"

    def read(self, parties: Parties) -> Figures:
        """Read the bytes since boot."""
        return {
            f"{name} {way}": count
            for name, party in parties.items()
            if party.machine is not None
            for way, count in zip(("received", "sent"), party.machine.traffic(), strict=True)
        }

    def between(
        self, before: Figures, after: Figures, sample: Sample, found: Mapping[str, Figures]
    ) -> Figures:
        """Return the differences."""
        return {name: max(0, now - before[name]) for name, now in after.items() if name in before}
