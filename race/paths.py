"""The places of results in the project."""

from __future__ import annotations

import os
from pathlib import Path

from runtime.paths import ROOT

SCENARIOS = ROOT / "races"
RESULTS = ROOT / "results"
PUBLISHED = ROOT / "docs" / "results"
CLAIMS = ROOT / "docs" / "claims"


def var() -> Path:
    """Return the folder of private databases and notes: VAR_DIR, or `var` in the project."""
    return Path(os.environ.get("VAR_DIR") or ROOT / "var").resolve()
