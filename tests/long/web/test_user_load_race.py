"""A whole race with users of Locust over a link, in seconds."""

from __future__ import annotations

from pathlib import Path

import pytest

from race.saved.model import CALIBRATION
from tests.support.locust_lab import needed
from tests.support.race_lab import LIMITS, Race
from tests.support.site_server import Databases

SECONDS = 240.0  # for a new database, a month of votes in it, and seven starts of Locust
pytestmark = pytest.mark.timeout(SECONDS + 20)

ENGINE = "aiohttp-postgres-pool"
SCENARIO = f"""
title = "A small user load"
engines = ["{ENGINE}"]
pages = ["reports"]
link = [0, 2]
rounds = 1

[load]
generator = "locust"
user = "Reporter"
shape = "Steps"
shape_options = {{ steps_stages = "12:4 0:1", steps_rate = 12 }}

[warmup]
calibration_s = 1
window_s = 1
windows = 1

{LIMITS}"""


def test_a_race_with_users_over_a_link(databases: Databases, tmp_path: Path) -> None:
    needed()
    path = tmp_path / "user_load.toml"
    path.write_text(SCENARIO)
    env = databases.env(SITE_HISTORY="1")
    with Race(["run", str(path)], tmp_path / "results", env) as race:
        assert race.process.wait(SECONDS) == 0, race.text()
        saved = race.saved_race()
        assert "(A/A)" in race.text()
    assert not saved.problems
    cells = [cell for cell in saved.cells if cell.round != CALIBRATION]
    assert len(cells) == 3
    for cell in cells:
        assert cell.status == "ok", cell.reason
        assert (cell.count or 0) >= 12
        assert cell.driven_s == 5.0
        assert cell.seconds == pytest.approx(5, abs=2)
        assert max(moment.users for moment in cell.timeline) == 12
        assert any(moment.connections for moment in cell.timeline)
        # Five requests of a light page eight times out of eleven, 6, 7 and 7 of the others.
        assert cell.facts["database_requests"] == pytest.approx(60 / 11, abs=0.01)
        assert cell.facts["body_bytes"] > 1000
        spent = cell.meters["cpu_ns"]
        assert spent["generator"] > 0
        assert (spent.get("link", 0) > 0) == cell.label.endswith(", link 2 ms")
    page = (saved.folder / "report.html").read_text()
    assert 'id="user-loads"' in page
    assert "Reports, link 2 ms" in page
