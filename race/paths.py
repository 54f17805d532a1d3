"""Where things are in the project."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SCENARIOS = ROOT / "races"
RESULTS = ROOT / "results"
SERVER = ROOT / "server.py"
