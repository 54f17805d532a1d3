"""A whole race with users of Locust, over a link, in seconds."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from race.saved.model import CALIBRATION
from tests.support.locust_lab import needed
from tests.support.race_lab import LIMITS, Race
from tests.support.site_server import Databases

# A new database, a month of votes in it, seven starts of Locust.
SECONDS = 240.0
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


@pytest.fixture(scope="module")
def raced(databases: Databases, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Race]:
    needed()
    folder = tmp_path_factory.mktemp("user_load")
    path = folder / "user_load.toml"
    path.write_text(SCENARIO)
    env = databases.env(SITE_HISTORY="1")
    with Race(["run", str(path)], folder / "results", env) as race:
        assert race.process.wait(SECONDS) == 0, race.text()
        yield race


def test_cells_have_what_users_saw(raced: Race) -> None:
    saved = raced.saved_race()
    assert not saved.problems
    cells = [cell for cell in saved.cells if cell.round != CALIBRATION]
    assert len(cells) == 3
    for cell in cells:
        assert cell.status == "ok", cell.reason
        assert cell.count is not None
        assert cell.count >= 12
        assert cell.driven_s == 5.0
        assert cell.seconds == pytest.approx(5, abs=2)
        assert set(cell.by_name) <= {f"Report {number}" for number in range(1, 6)}
        assert sum(part.count for part in cell.by_name.values()) == cell.count
        assert max(moment.users for moment in cell.timeline) == 12
        assert any(moment.connections for moment in cell.timeline)
        assert 0 < cell.latency_us["p50"] <= cell.latency_us["p95"]
        assert cell.meters["cpu_ns"]["generator"] > 0
        # Five requests of a light page eight times out of eleven, 6, 7 and 7 of the others.
        assert cell.facts["database_requests"] == pytest.approx(60 / 11, abs=0.01)
        assert cell.facts["body_bytes"] > 1000


def test_a_link_is_a_party(raced: Race) -> None:
    saved = raced.saved_race()
    near, far = (
        [cell for cell in saved.cells if cell.label == f"{ENGINE}, link {level}" and cell.round]
        for level in ("0 ms", "2 ms")
    )
    assert all("link" not in cell.meters["cpu_ns"] for cell in near)
    assert len(near) == len(far)
    for other in far:
        assert other.meters["cpu_ns"]["link"] > 0


def test_the_report_shows_it_and_the_terminal_says_it(raced: Race) -> None:
    page = (raced.saved_race().folder / "report.html").read_text()
    assert 'id="user-loads"' in page
    assert "Reports, link 2 ms" in page
    assert "(A/A)" in raced.text()
