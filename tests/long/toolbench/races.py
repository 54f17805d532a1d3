"""Small scenario files of drivers."""

from __future__ import annotations

from pathlib import Path

from tests.conftest import absent
from tests.support.race_lab import LIMITS
from toolbench.drivers import DRIVERS

SCENARIO = """
title = "Two drivers"
discipline = "tools"
drivers = {drivers}
operations = {operations}
rounds = {rounds}

[load]
generator = "{generator}"
concurrency = {concurrency}
duration_s = {duration}

[warmup]
window_s = 0.1
calibration_s = 0.1
windows = 1
"""


def race_file(
    folder: Path,
    drivers: list[str],
    operations: list[str],
    concurrency: list[int],
    rounds: int = 1,
    duration: float = 0.2,
    generator: str = "runner",
) -> Path:
    """Write a scenario file; skip the test if a driver is not installed."""
    for name in drivers:
        if problem := DRIVERS[name].not_installed():
            absent(f"{name}: {problem}")
    path = folder / "small.toml"
    text = SCENARIO.format(
        drivers=drivers,
        operations=operations,
        concurrency=concurrency,
        rounds=rounds,
        duration=duration,
        generator=generator,
    )
    path.write_text(text.replace("'", '"') + LIMITS)
    return path
