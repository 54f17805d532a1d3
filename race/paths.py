"""The places of scenarios and results."""

from __future__ import annotations

from pathlib import Path

from runtime.paths import INSTALLED, ROOT

SCENARIOS = ROOT / "races"
RESULTS = Path("race-results") if INSTALLED else ROOT / "results"
PUBLISHED = ROOT / "docs" / "results"
CLAIMS = ROOT / "docs" / "claims"
