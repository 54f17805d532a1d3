"""Not a load on a server but on the interpreter: how fast it builds result objects."""

from __future__ import annotations

import json

from race.saved.model import Load
from race.web.load.generator import Sample, Target
from runtime.paths import ROOT

PROGRAM = ROOT / "toolbench" / "limits" / "objects.py"


class Build:
    """Builds a million result objects; a request is one of them."""

    closed_loop = False
    interruptible = False
    serverless = True

    def missing(self) -> str | None:
        """It needs nothing but the interpreter."""
        return None

    def command(self, target: Target, load: Load) -> list[str]:
        """Runs on the contender's interpreter."""
        return [target.python, str(PROGRAM), "--seconds", str(load.duration_s)]

    def parse(self, output: str, load: Load) -> Sample:
        """One JSON object: objects built, seconds."""
        data = json.loads(output)
        return Sample(int(data["objects"]), float(data["seconds"]), 0, {})
