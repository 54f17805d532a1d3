"""Users and shapes against a live site, headless; their reports, limits, signals and mistakes."""

from __future__ import annotations

import resource
import signal
import socket
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from locustfiles.pages import looks
from tests.support.html import numbers
from tests.support.locust_lab import LOCUSTFILE, Reports, fake, locust, needed, reports
from tests.support.site_client import get
from tests.support.site_server import SiteServer, environment, serving, until

VOTERS = 8
# About shows numbers that are up to 5 s old.
REFRESHED_SECONDS = 8.0
BALLOT = (
    '<h1>Which one sticks?</h1><p role="status">Your vote has been counted</p>'
    '<form action="/" method="post"><input name="vote_plus" value="{0}">'
    '<input name="vote_minus" value="{1}"></form>'
    '<form action="/" method="post"><input name="vote_plus" value="{1}">'
    '<input name="vote_minus" value="{0}"></form>'
).format("a" * 32, "b" * 32)
REPORTS = {
    f"/reports/{number}": (
        200,
        f'<h1>{heading}</h1><a href="/reports/{number}" aria-current="page">{heading}</a>',
    )
    for number, heading in enumerate(looks.REPORTS, 1)
}
# Locust starts within two seconds, alone on a machine; looking for the site takes three at most.
SOON = 20
SHORT = ("--shape", "Steps", "--steps-rate", "50", "--steps-stages")


@pytest.fixture(scope="module")
def site() -> Iterator[SiteServer]:
    needed()
    with serving("aiohttp-memory-one", environment()) as server:
        yield server


def test_voters_vote_and_keep_their_cookies(site: SiteServer, tmp_path: Path) -> None:
    before = numbers(get(site.url, "/about").text)
    with locust(site.url, tmp_path, *SHORT, f"{VOTERS}:8", "Voter") as running:
        assert running.wait() == 0, running.text()
    found = reports(tmp_path)
    assert found.failures() == {}
    pages = found.pages()
    assert set(pages) <= {"Index", "vote", "Good", "Bad", "About"}
    assert pages["vote"] >= VOTERS / 2
    # A vote is followed to the next ballot, but for those that the end of the run cut off.
    assert pages["Index"] >= pages["vote"]

    def counted() -> bool:
        after = numbers(get(site.url, "/about").text)
        grown = {name: after[name] - before[name] for name in ("votes", "visitors")}
        return grown == {"votes": pages["vote"], "visitors": VOTERS}

    until(counted, REFRESHED_SECONDS, "votes or visitors are not those of the run")


def test_readers_read_pages_and_the_api(site: SiteServer, tmp_path: Path) -> None:
    with locust(site.url, tmp_path, *SHORT, "12:6", "Reader") as running:
        assert running.wait() == 0, running.text()
    found = reports(tmp_path)
    assert found.failures() == {}
    assert set(found.pages()) <= {"Good", "Bad", "About", "Packs", "Pack", "Sticker"}
    assert {"Good", "Bad", "Packs"} <= set(found.pages())
    assert f"reports: {found.folder}" in running.text()
    check_alike(found)


def test_reporters_read_the_five_reports_by_their_weights(tmp_path: Path) -> None:
    with fake(REPORTS) as site, locust(site.url, tmp_path, *SHORT, "40:6", "Reporter") as running:
        assert running.wait() == 0, running.text()
        asked = Counter(path for path in site.asked if path.startswith("/reports/"))
    pages = reports(tmp_path).pages()
    assert set(pages) == {f"Report {number}" for number in range(1, 6)}
    assert asked["/reports/1"] > asked["/reports/2"] > asked["/reports/5"]


def test_a_wrong_body_and_a_vote_that_did_not_count_are_failures(tmp_path: Path) -> None:
    answers = {"/": (200, BALLOT), "/good": (200, "<h1>The Good</h1>"), "/bad": (500, "x")}
    short = (*SHORT, "16:6", "Voter")
    with fake(answers, "/?voted=0") as site, locust(site.url, tmp_path, *short) as running:
        assert running.wait() == 1, running.text()
    failures = reports(tmp_path).failures()
    assert failures["vote"] == {"CatchResponseError('the vote was not counted')"}
    assert failures.get("Good", {"not 9"}) <= {"CatchResponseError('not 9 stickers')", "not 9"}
    assert "Index" not in failures


@pytest.mark.parametrize(
    ("shape", "fields", "most"),
    [
        ("Spike", ["--spike-base=1", "--spike-peak=6", "--spike-before=2", "--spike-after=2"], 6),
        ("Wave", ["--wave-low=1", "--wave-high=4", "--wave-period=4", "--wave-time=6"], 4),
        ("Soak", ["--soak-users=3", "--soak-ramp=2", "--soak-time=3"], 3),
        ("Ramp", ["--ramp-first=2", "--ramp-step=2", "--ramp-time=6", "--ramp-most=4"], 4),
        ("Trace", [], 5),
    ],
)
def test_each_shape_runs_to_its_end(
    site: SiteServer, tmp_path: Path, shape: str, fields: list[str], most: int
) -> None:
    if shape == "Spike":
        fields = [*fields, "--spike-during=3"]
    if shape == "Trace":
        path = tmp_path / "mine.csv"
        path.write_text("0,1\n2,5\n7,0\n")
        fields = [f"--trace-file={path}"]
    with locust(site.url, tmp_path, "--shape", shape, *fields, "Reader") as running:
        assert running.wait() == 0, running.text()
    data = reports(tmp_path).data
    assert data["shape"] == shape
    assert data["verdict"]["valid"]
    assert data["users"] == ["Reader"]
    assert all(str(data["fields"][one.split("=")[0][2:].replace("-", "_")]) for one in fields)
    assert max(point["user_count"] for point in data["history"]) <= most
    if shape == "Ramp":
        assert data["finding"].startswith("no knee up to 4 users (")
        assert data["finding"] in running.text()


def check_alike(found: Reports) -> None:
    """The reports have the same figures, and the verdict."""
    total = found.data["total"]
    assert total["requests"] == sum(found.pages().values()) == sum(total["times"].values())
    rows = {row["Name"]: row for row in found.table("requests")}
    assert {name: int(row["Request Count"]) for name, row in rows.items()} == {
        **found.pages(),
        "Aggregated": total["requests"],
    }
    assert {row["Verdict"] for row in rows.values()} == {"valid"}
    assert {row["Verdict"] for row in found.table("history")} == {"valid"}
    assert ">valid</p>" in found.page


@pytest.mark.parametrize(
    ("limits", "status", "said"),
    [
        (["--fail-p95", "10s", "--fail-ratio", "1%"], 0, "valid"),
        (["--fail-p95", "0.1ms"], 1, "p95 is "),
    ],
)
def test_limits_set_the_exit_status(
    site: SiteServer, tmp_path: Path, limits: list[str], status: int, said: str
) -> None:
    with locust(site.url, tmp_path, *SHORT, "8:3", *limits, "Reader") as running:
        assert running.wait() == status, running.text()
    assert said in running.text()
    assert bool(reports(tmp_path).data["verdict"]["limits_passed"]) == bool(status)


@pytest.mark.parametrize(("ratio", "status"), [("99%", 1), ("100%", 0)])
def test_failures_are_measured_against_their_limit(tmp_path: Path, ratio: str, status: int) -> None:
    limited = (*SHORT, "6:3", "--fail-ratio", ratio, "Reporter")
    with fake({}) as site, locust(site.url, tmp_path, *limited) as running:
        assert running.wait() == status, running.text()
    (errors,) = set(map(frozenset, reports(tmp_path).failures().values()))
    assert errors == {"CatchResponseError('status 404, not 200')"}


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("how", ["a shape", "by hand"])
def test_a_signal_ends_a_run_with_its_reports(
    tmp_path: Path, number: signal.Signals, how: str
) -> None:
    load = ["--shape", "Soak"] if how == "a shape" else ["-u", "3", "-r", "3"]
    with fake(REPORTS) as site, locust(site.url, tmp_path, *load, "Reporter") as running:
        until(lambda: len(site.asked) > 2, 30.0, "nobody came")
        running.send(number)
        assert running.wait(20) == 0, running.text()
    found = reports(tmp_path)
    assert found.data["total"]["requests"] >= 1
    assert found.data["shape"] == ("Soak" if how == "a shape" else "users")
    assert "Traceback" not in running.text()


BUSY = """
import time
from locust import task
from locustfiles.users.site_user import SiteUser

class Busy(SiteUser):
    @task
    def ask(self):
        self.client.get("/reports/1")
        began = time.monotonic()
        while time.monotonic() < began + 0.2:
            pass
"""


def test_ctrl_c_is_raised_in_no_user(tmp_path: Path) -> None:
    """Where Python runs a user's code, as it does nearly always here."""
    (tmp_path / "busy.py").write_text(BUSY)
    files = f"{LOCUSTFILE},{tmp_path / 'busy.py'}"
    with (
        fake(REPORTS) as site,
        locust(site.url, tmp_path, "-f", files, "-u", "3", "-r", "3", "Busy") as running,
    ):
        until(lambda: len(site.asked) > 4, 30.0, "nobody came")
        running.send(signal.SIGINT)
        assert running.wait(20) == 0, running.text()
    assert "Traceback" not in running.text()


def test_a_site_that_dies_leaves_its_failures_by_kind(tmp_path: Path) -> None:
    needed()
    with (
        serving("aiohttp-memory-one", environment()) as site,
        locust(site.url, tmp_path, *SHORT, "10:10", "Reader") as running,
    ):
        running.until("Steps begins: Reader")
        time.sleep(3)
        site.send(signal.SIGKILL)
        assert running.wait() == 1, running.text()
    found = reports(tmp_path)
    kinds = set().union(*found.failures().values())
    assert any("ConnectionRefusedError" in kind for kind in kinds), kinds
    counted = sum(one["count"] for one in found.data["failures"])
    assert counted == found.data["total"]["failures"] > 0
    assert found.data["verdict"]["valid"]


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (["--shape", "Stpes"], 2, "unknown shape 'Stpes': did you mean 'Steps'?"),
        (["--shape", "Heap"], 2, "unknown shape 'Heap': choose from Steps, Spike, Wave"),
        (["--shape", "Steps", "--steps-rate", "x"], 2, "steps_rate: 'x' is no rate"),
        (["--shape", "Trace", "--trace-file", "no.csv"], 2, "trace_file: no.csv: no such file"),
        (["--shape", "Steps", "--fail-p95", "x"], 2, "--fail-p95: 'x' is no time"),
        (["--shape", "Steps"], 1, "no site at http://127.0.0.1:9: Connection refused"),
        (["--shape", "Steps", "--host", ""], 1, "say where the site is, as in --host http://"),
        (["--shape", "Steps", "--host", "localhost"], 1, "'localhost' is no address"),
    ],
)
def test_a_mistake_is_one_line_within_seconds(
    tmp_path: Path, arguments: list[str], status: int, said: str
) -> None:
    began = time.monotonic()
    with locust("http://127.0.0.1:9", tmp_path, *arguments, "Reader") as running:
        assert running.wait() == status
    assert time.monotonic() - began < SOON
    assert f"locustfile: {said}" in running.text()
    assert "Traceback" not in running.text()
    assert not (tmp_path / "reports").exists()


def test_a_bad_trace_is_one_line_that_names_its_own(tmp_path: Path) -> None:
    path = tmp_path / "bad.csv"
    path.write_text("seconds,users\n0,1\n5,many\n")
    asked = ("--shape", "Trace", "--trace-file", str(path))
    with locust("http://127.0.0.1:9", tmp_path, *asked, "Reader") as running:
        assert running.wait() == 2
    said = f"locustfile: trace_file: {path} line 3: 'many' is no number of users: 0 to 100000"
    assert said in running.text()
    assert "Traceback" not in running.text()


def test_a_site_that_says_nothing_is_told_within_seconds(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        host = f"http://127.0.0.1:{silent.getsockname()[1]}"
        began = time.monotonic()
        with locust(host, tmp_path, "--shape", "Steps") as running:
            assert running.wait() == 1
        assert time.monotonic() - began < SOON
    assert f"locustfile: no site at {host}: timed out; start it first" in running.text()


def test_a_folder_that_cannot_be_is_said_before_the_run(site: SiteServer, tmp_path: Path) -> None:
    wrong = ("--shape", "Steps", "--reports", "/dev/null/x")
    with locust(site.url, tmp_path, *wrong, "Reader") as running:
        assert running.wait() == 2
    assert "locustfile: --reports /dev/null/x: Not a directory" in running.text()


def test_reports_that_do_not_fit_on_the_disk_are_one_line(site: SiteServer, tmp_path: Path) -> None:
    with locust(site.url, tmp_path, *SHORT, "4:2", "Reader", before=small_files) as running:
        assert running.wait() == 1
    reports = tmp_path / "reports"
    assert f"reports: none, cannot write in {reports}: File too large" in running.text()
    assert "Traceback" not in running.text()
    assert [one for one in reports.rglob("*") if one.is_file()] == []


def small_files() -> None:
    """No report fits."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))


def test_another_site_is_not_loaded(tmp_path: Path) -> None:
    with fake({"/ugly": (200, "PRETTY")}) as site:
        with locust(site.url, tmp_path, "--shape", "Steps") as running:
            assert running.wait() == 1
        assert site.asked == ["/ugly"]
    assert "is not the site: /ugly answered 200" in running.text()
