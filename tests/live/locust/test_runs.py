"""Users against a live site, headless, with their reports, limits and mistakes."""

from __future__ import annotations

import signal
import socket
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from locustfiles.run import site as checked_site
from locustfiles.timeouts import Timeouts
from tests.support.html import numbers
from tests.support.locust_lab import (
    BALLOT,
    REPORT_PAGES,
    SHORT,
    Reports,
    fake,
    locust,
    needed,
    reports,
)
from tests.support.site_client import get
from tests.support.site_server import SiteServer, environment, serving, until

ENGINE = "aiohttp-memory-one"
VOTERS = 8
REFRESHED_SECONDS = 8.0  # About shows numbers that are up to 5 s old


@pytest.fixture(scope="module")
def site() -> Iterator[SiteServer]:
    needed()
    with serving(ENGINE, environment()) as server:
        yield server


def test_voters_vote_and_keep_their_cookies(site: SiteServer, tmp_path: Path) -> None:
    before = numbers(get(site.url, "/about").text)
    with locust(site.url, tmp_path, *SHORT, f"{VOTERS}:6", "Voter") as running:
        assert running.wait() == 0, running.text()
    found = reports(tmp_path)
    assert found.failures() == {}
    pages = found.pages()
    assert set(pages) <= {"Index", "vote", "Good", "Bad", "About"}
    assert pages["vote"] >= VOTERS / 2
    # A vote is followed to the next ballot, except for those that the end of the run cut off.
    assert pages["Index"] >= pages["vote"]

    def counted() -> bool:
        after = numbers(get(site.url, "/about").text)
        grown = {name: after[name] - before[name] for name in ("votes", "visitors")}
        return grown == {"votes": pages["vote"], "visitors": VOTERS}

    until(counted, REFRESHED_SECONDS, "votes or visitors are not those of the run")


def test_readers_read_and_every_output_names_the_engine(site: SiteServer, tmp_path: Path) -> None:
    limits = ("--fail-p95", "10s", "--fail-ratio", "1%")
    with locust(site.url, tmp_path, *SHORT, "12:5", *limits, "Reader", progress=1) as running:
        assert running.wait() == 0, running.text()
    found = reports(tmp_path)
    assert found.failures() == {}
    assert {"Good", "Bad", "Packs"} <= set(found.pages())
    assert set(found.pages()) <= {"Good", "Bad", "About", "Packs", "Pack", "Sticker"}
    text = running.text()
    assert f"Steps begins on {ENGINE}: Reader, up to 12 users, 5 s\n" in text
    assert text.count(" s: 12 users, ") >= 3
    assert f"Steps on {ENGINE}: valid\nreports: {found.folder}\n" in text
    check_alike(found)


def check_alike(found: Reports) -> None:
    """The reports have the same figures, the engine and the verdict."""
    total = found.data["total"]
    assert total["requests"] == sum(found.pages().values()) == sum(total["times"].values())
    rows = {row["Name"]: row for row in found.table("requests")}
    assert {name: int(row["Request Count"]) for name, row in rows.items()} == {
        **found.pages(),
        "Aggregated": total["requests"],
    }
    for table in (list(rows.values()), found.table("history")):
        assert {(row["Engine"], row["Verdict"]) for row in table} == {(ENGINE, "valid")}
    assert found.data["engine"] == ENGINE
    assert f">Steps on {ENGINE}: valid</p>" in found.page


def test_reporters_read_the_five_reports_by_their_weights(tmp_path: Path) -> None:
    short = (*SHORT, "40:4", "Reporter")
    with fake(REPORT_PAGES) as site, locust(site.url, tmp_path, *short) as running:
        assert running.wait() == 0, running.text()
        asked = Counter(path for path in site.asked if path.startswith("/reports/"))
    assert set(reports(tmp_path).pages()) <= {f"Report {number}" for number in range(1, 6)}
    # 5 of 11 are the first, 1 of 11 the last; what lies between may come in any order.
    assert asked["/reports/1"] > asked["/reports/5"]


def test_a_wrong_body_and_a_vote_that_did_not_count_are_failures(tmp_path: Path) -> None:
    answers = {"/": (200, BALLOT), "/good": (200, "<h1>The Good</h1>"), "/bad": (500, "x")}
    short = (*SHORT, "16:5", "--fail-p95", "0.1ms", "Voter")
    with fake(answers, "/?voted=0") as site, locust(site.url, tmp_path, *short) as running:
        assert running.wait() == 1, running.text()
    failures = reports(tmp_path).failures()
    assert failures["vote"] == {"CatchResponseError('the vote was not counted')"}
    assert failures.get("Good", {"not 9"}) <= {"CatchResponseError('not 9 stickers')", "not 9"}
    assert "Index" not in failures
    assert "Steps on unknown: valid; p95 is " in running.text()


def test_paths_of_another_application_are_read_and_errors_counted(tmp_path: Path) -> None:
    answers = {"/hello": (200, "hello"), "/broken": (500, "no")}
    asked = (*SHORT, "8:4", "--path", "/hello", "--path", "/broken")
    with fake(answers) as application, locust(application.url, tmp_path, *asked) as running:
        assert running.wait() == 1, running.text()
    found = reports(tmp_path)
    assert set(found.pages()) == {"/hello", "/broken"}
    assert set(found.failures()) == {"/broken"}


def test_a_spike_runs_to_its_end(site: SiteServer, tmp_path: Path) -> None:
    fields = ["--spike-base=1", "--spike-peak=6", "--spike-before=1", "--spike-during=2"]
    spike = ("--shape", "Spike", *fields, "--spike-after=1", "Reader")
    with locust(site.url, tmp_path, *spike) as running:
        assert running.wait() == 0, running.text()
    data = reports(tmp_path).data
    assert (data["shape"], data["fields"]["spike_during"]) == ("Spike", "2")
    assert max(moment["users"] for moment in data["timeline"]) == 6


@pytest.mark.parametrize("load", [["--shape", "Soak"], ["-u", "3", "-r", "3"]])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_a_run_with_its_reports(
    tmp_path: Path, number: signal.Signals, load: list[str]
) -> None:
    with fake(REPORT_PAGES) as site, locust(site.url, tmp_path, *load, "Reporter") as running:
        until(lambda: len(site.asked) > 4, 30.0, "nobody came")
        running.send(number)
        assert running.wait(20) == 0, running.text()
    found = reports(tmp_path)
    assert found.data["total"]["requests"] >= 1
    assert found.data["shape"] == ("Soak" if "Soak" in load else "users")
    assert "Traceback" not in running.text()


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (["--shape", "Stpes"], 2, "unknown shape 'Stpes': did you mean 'Steps'?"),
        (["--shape", "Steps", "--fail-p95", "x"], 2, "--fail-p95: 'x' is no time"),
        (["--shape", "Steps"], 1, "no site at http://127.0.0.1:9: Connection refused"),
        (["--path", "/"], 2, "--path is for the user Paths alone"),
    ],
)
def test_a_mistake_is_one_line(
    tmp_path: Path, arguments: list[str], status: int, said: str
) -> None:
    with locust("http://127.0.0.1:9", tmp_path, *arguments, "Reader") as running:
        assert running.wait() == status
    assert f"locustfile: {said}" in running.text()
    assert "Traceback" not in running.text()
    assert not (tmp_path / "reports").exists()


def test_only_the_site_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    with fake({"/ugly": (200, "PRETTY")}) as site:
        assert str(checked_site.problem(site.url)).endswith(
            "/ugly answered 200; name paths of it by --path"
        )
        assert checked_site.engine(site.url) == "unknown"
    monkeypatch.setattr(checked_site, "TIMEOUTS", Timeouts(site=0.1))
    with socket.create_server(("127.0.0.1", 0)) as silent:
        host = f"http://127.0.0.1:{silent.getsockname()[1]}"
        assert str(checked_site.problem(host)).startswith(f"no site at {host}: timed out; start")
