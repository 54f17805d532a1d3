"""What a run is worth: valid or not, within its limits or not. Standard library only."""

from __future__ import annotations

from dataclasses import dataclass, field

from locustfiles.shapes.load import Load
from locustfiles.shapes.values import milliseconds, share

FAILED = 1
INVALID = 3
PART = 0.95


@dataclass(frozen=True)
class Limits:
    """What a run may not pass: ``p95`` milliseconds, ``ratio`` a share; None where none is set."""

    p95: float | None = None
    ratio: float | None = None

    @classmethod
    def parse(cls, p95: str, ratio: str) -> Limits:
        """From the arguments, "" for none; ``WrongField`` where one is no limit."""
        return cls(
            milliseconds("--fail-p95", p95) if p95 else None,
            share("--fail-ratio", ratio) if ratio else None,
        )

    def passed(self, load: Load) -> list[str]:
        """The limits that a run passed, a sentence each."""
        if self.p95 is None and self.ratio is None:
            return []
        found = load.percentile(PART)
        if found is None:
            return ["no request was answered"]
        sentences = []
        if self.p95 is not None and found > self.p95:
            sentences.append(f"p95 is {found} ms, over {self.p95:g} ms")
        if self.ratio is not None and load.failed > self.ratio:
            sentences.append(f"{load.failed:.2%} failed, over {self.ratio:.2%}")
        return sentences


@dataclass
class Verdict:
    """Of one run. ``reasons`` say why it is INVALID; ``passed`` which limits it passed."""

    reasons: list[str] = field(default_factory=list)
    passed: list[str] = field(default_factory=list)

    @property
    def valid(self) -> bool:
        """Whether its figures are those of the load that was asked for."""
        return not self.reasons

    def __str__(self) -> str:
        if self.reasons:
            return "INVALID: " + "; ".join(self.reasons)
        return "valid" + "".join(f"; {one}" for one in self.passed)


def exit_status(verdicts: list[Verdict], limits: Limits, broken: bool) -> int | None:
    """Of the whole program; None leaves it to Locust, which says 1 where a request failed.

    ``broken``: code of ours failed, not a request. A limit for failures takes the place of
    Locust's own, which is none at all.
    """
    if not all(verdict.valid for verdict in verdicts):
        return INVALID
    if any(verdict.passed for verdict in verdicts):
        return FAILED
    return 0 if limits.ratio is not None and verdicts and not broken else None
