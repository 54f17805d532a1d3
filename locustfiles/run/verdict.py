"""The verdict on a run: valid or not, within its limits or not. Standard library only."""

from __future__ import annotations

from dataclasses import dataclass, field

from locustfiles.shapes.totals import Totals
from locustfiles.shapes.values import read_milliseconds, read_share

FAILED = 1
INVALID = 3


@dataclass(frozen=True)
class FailureLimits:
    """Limits of a run: `p95` in milliseconds, `ratio` as a share; None where none is set."""

    p95: float | None = None
    ratio: float | None = None

    @classmethod
    def parse(cls, p95: str, ratio: str) -> FailureLimits:
        """Read the arguments, "" for none. Raises `WrongField` if one is no limit."""
        return cls(
            read_milliseconds("--fail-p95", p95) if p95 else None,
            read_share("--fail-ratio", ratio) if ratio else None,
        )

    def passed(self, totals: Totals) -> list[str]:
        """Return a sentence for each limit that a run passed."""
        if self.p95 is None and self.ratio is None:
            return []
        found = totals.percentile(0.95)
        if found is None:
            return ["no request was answered"]
        sentences = []
        if self.p95 is not None and found > self.p95:
            sentences.append(f"p95 is {found} ms, over {self.p95:g} ms")
        if self.ratio is not None and totals.failed > self.ratio:
            sentences.append(f"{totals.failed:.2%} failed, over {self.ratio:.2%}")
        return sentences


@dataclass
class RunVerdict:
    """The verdict on one run: why it is INVALID (`reasons`), and which limits it passed."""

    reasons: list[str] = field(default_factory=list)
    passed: list[str] = field(default_factory=list)

    @property
    def valid(self) -> bool:
        """True if the figures are those of the load that was asked for."""
        return not self.reasons

    def __str__(self) -> str:
        if self.reasons:
            return "INVALID: " + "; ".join(self.reasons)
        return "valid" + "".join(f"; {one}" for one in self.passed)


def exit_status(verdicts: list[RunVerdict], limits: FailureLimits, broken: bool) -> int | None:
    """Return the status of the whole program; None leaves it to Locust: 1 if a request failed.

    `broken` says that code of ours failed, not a request. A limit for failures takes the place of
    Locust's own, which is none at all.
    """
    if not all(verdict.valid for verdict in verdicts):
        return INVALID
    if any(verdict.passed for verdict in verdicts):
        return FAILED
    return 0 if limits.ratio is not None and verdicts and not broken else None
