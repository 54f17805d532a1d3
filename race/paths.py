"""Where things are in the project."""

from __future__ import annotations

from runtime.paths import ROOT

SCENARIOS = ROOT / "races"
RESULTS = ROOT / "results"
PUBLISHED = ROOT / "docs" / "results"
CLAIMS = ROOT / "docs" / "claims"
