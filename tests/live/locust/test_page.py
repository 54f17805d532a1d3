"""Locust's page in a real browser: choose, fill in, start, watch, stop, download."""

from __future__ import annotations

import re
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect, sync_playwright

from locustfiles.shapes import SHAPES
from tests.conftest import absent
from tests.support.locust_lab import PAGE, Running, launched, reports
from tests.support.site_server import Databases, until

OPTIONS = "--no-sandbox --disable-gpu --no-first-run --disable-background-networking".split()
MILLISECONDS = 20_000
ENGINE = ("--engine", "aiohttp-postgres-pool", "--port", "0")
FIELDS = ",".join(f"input[name^={shape.lower()}]" for shape in SHAPES)
# The texts above the fields: the ::before of the element around the element around an input.
TITLES = """fields => [...document.querySelectorAll(fields)].map(
    one => getComputedStyle(one.parentElement.parentElement, "::before").content)"""
FIGURES = {
    "server CPU (of one core)",
    "database CPU (of one core)",
    "connections to the database",
    "pages waiting for a connection",
    "requests to the database per page",
}


@pytest.fixture
def running(databases: Databases, tmp_path: Path) -> Iterator[Running]:
    databases.hold("postgres")
    with launched(tmp_path, *ENGINE, env=databases.env()) as found:
        yield found


@pytest.fixture
def page(running: Running) -> Iterator[Page]:
    program = shutil.which("chromium")
    if program is None:
        absent("no chromium: apt-get install chromium")
    url = running.until(PAGE.pattern)[1]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=program, args=OPTIONS, timeout=2 * MILLISECONDS
        )
        context = browser.new_context(accept_downloads=True)
        context.set_default_timeout(MILLISECONDS)
        found = context.new_page()
        found.goto(url)
        yield found
        browser.close()


def test_a_person_runs_a_shape(page: Page, running: Running, tmp_path: Path) -> None:
    choose(page)
    refused(page)
    page.locator("input[name=stepsStages]").fill("9:60")
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_text("RUNNING")).to_be_visible(timeout=MILLISECONDS)
    watched(page)
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_text("STOPPED")).to_be_visible(timeout=MILLISECONDS)
    downloaded(page, tmp_path)
    running.until("reports: ")
    data = reports(tmp_path).data
    assert (data["shape"], data["fields"]["steps_stages"]) == ("Steps", "9:60")
    assert data["users"] == ["Voter"]
    assert data["verdict"]["valid"]
    assert {one["error"] for one in data["failures"]} == set()
    running.send(signal.SIGTERM)
    assert running.wait() == 0, running.text()
    assert "Traceback" not in running.text()


def choose(page: Page) -> None:
    """Choose a user and a shape: the engine is named, and a shape's fields are under its name."""
    expect(page.get_by_text("The site runs on aiohttp-postgres-pool")).to_be_visible()
    for name in ("Reader", "Reporter"):
        page.get_by_role("row", name=re.compile(name)).get_by_role("checkbox").uncheck()
    shapes = page.locator("select[name=shapeClass]")
    names = shapes.locator("option").all_inner_texts()
    assert names == ["Default", "Ramp", "Soak", "Spike", "Steps", "Trace", "Wave"]
    page.get_by_text("Custom parameters").click()
    fields = [one.get_attribute("name") or "" for one in page.locator(FIELDS).all()]
    assert fields[:3] == ["stepsStages", "stepsRate", "spikeBase"]
    titles = page.evaluate(TITLES, FIELDS)
    assert [title for title in titles if title != "none"] == [f'"{shape}"' for shape in SHAPES]
    shapes.select_option("Steps")
    expect(page.get_by_label("Steps Rate (users that come or leave in a second)")).to_be_visible()
    expect(page.locator("input[name=waveHigh]")).to_be_hidden()
    expect(page.locator("input[name=waveHigh]")).to_have_value("50")


def refused(page: Page) -> None:
    """A wrong value is a message, and the page goes on."""
    page.locator("input[name=stepsStages]").fill("9:soon")
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_role("alert")).to_contain_text("steps_stages: 'soon' is no time")


def watched(page: Page) -> None:
    """The charts move, and the tab has every figure."""
    page.get_by_role("tab", name="Statistics").click()
    # A voter looks at the ballot for some seconds first.
    vote = page.get_by_role("cell", name="vote", exact=True)
    expect(vote).to_be_visible(timeout=MILLISECONDS)
    page.get_by_role("tab", name="Charts").click()
    charts = page.locator("canvas")
    expect(charts.first).to_be_visible()
    before = charts.first.screenshot()
    until(lambda: charts.first.screenshot() != before, 20.0, "the charts stand still")
    page.get_by_role("tab", name="Server").click()
    expect(page.get_by_role("row")).to_have_count(1 + len(FIGURES))
    rows = [row.get_by_role("cell").all_inner_texts() for row in page.get_by_role("row").all()]
    assert {row[0] for row in rows[1:]} == FIGURES
    # Ten of the pool and one that keeps the house.
    assert next(row for row in rows if row and row[0].startswith("connections"))[1] == "11"
    assert not any(row[3] == "-" for row in rows[1:])


def downloaded(page: Page, folder: Path) -> None:
    """The report, with the verdict and what the server did, and that as CSV."""
    page.get_by_role("tab", name="Download Data").click()
    with page.expect_download() as download:
        page.get_by_role("link", name="Download server and database CSV").click()
    download.value.save_as(folder / "server.csv")
    assert (folder / "server.csv").read_text().startswith("time,server_cpu,database_cpu,")
    with page.expect_popup() as popup:
        page.get_by_role("link", name="Download Report").click()
    report = popup.value
    expect(report.get_by_text("Steps on aiohttp-postgres-pool: valid")).to_be_visible()
    expect(report.get_by_role("heading", name="Server and database")).to_be_visible()
    expect(report.get_by_role("img", name="pages waiting for a connection")).to_be_visible()
