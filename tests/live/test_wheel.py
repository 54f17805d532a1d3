"""The wheel: what is in it, and `race` from it in an environment that has nothing else."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from importlib import metadata
from pathlib import Path
from statistics import median

import pytest
from packaging.requirements import Requirement

from databases.postgres.programs import REQUIREMENT
from race.saved.reader import SavedRace, load
from runtime.paths import ROOT
from tests.conftest import absent

pytestmark = pytest.mark.xdist_group("wheel")  # one worker builds it

NAME = "python-loop-races"
PACKAGES = Path(sysconfig.get_path("purelib"))
MOST_BYTES = 2_000_000
QUICKLY = """
    --rounds 1 --duration 0.25 --connections 4 --set warmup.windows=1
    --set load.max_connections=4 --set limits.steal=1 --set limits.foreign=1 --set limits.samples=1
    --set limits.little=9 --set limits.reruns=0 --set limits.quiet_wait_s=0
""".split()
SERVER = """
import sys, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

class Hello(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1

    def do_GET(self):
        end = time.thread_time() + float(sys.argv[2])
        while time.thread_time() < end:
            pass
        self.send_response(200)
        self.send_header("Content-Length", "5")
        self.end_headers()
        self.wfile.write(b"hello")

    def log_message(self, *_):
        pass

ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Hello).serve_forever()
"""
WITH_DATABASE = f"""
discipline = "app"
database = "postgres"
serve = "DATABASE_URL={{database_url}} {sys.executable} hello.py {{port}} 0"
[[requests]]
name = "hello"
get = "/hello"
"""
STARTED = """
from race.app.database.process import DatabaseProcess

databases = DatabaseProcess("postgres")
try:
    print(databases.start("one").url)
finally:
    databases.close()
"""
FAST, SLOW = (f"{sys.executable} hello.py {{port}} {seconds}" for seconds in ("0", "0.004"))


def ran(
    *words: str | Path, cwd: Path, seconds: float = 100, **env: str
) -> subprocess.CompletedProcess[str]:
    """Run a command in a folder, in an environment that says nothing of this project."""
    plain = {"PATH": os.environ["PATH"], "HOME": str(cwd), "COLUMNS": "200", **env}
    return subprocess.run(
        words, cwd=cwd, env=plain, capture_output=True, text=True, timeout=seconds, check=False
    )


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build it with what is installed here, without a network."""
    folder = tmp_path_factory.mktemp("wheel")
    words = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation"]
    built = ran(*words, "--no-index", "-w", folder, ROOT, cwd=folder)
    assert built.returncode == 0, built.stderr
    (found,) = folder.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def race(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install it into an empty environment, and its dependencies as links to those of the tests."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=False, symlinks=True)
    pip = [sys.executable, "-m", "pip", "--python", str(folder / "bin" / "python")]
    installed = ran(*pip, "install", "--no-deps", "--no-index", wheel, cwd=folder)
    assert installed.returncode == 0, installed.stderr
    command = folder / "bin" / "race"
    packages = Path(str(distribution(command).locate_file("")))
    for name in needed(distribution(command)):
        for part in parts(name):
            (packages / part).symlink_to(PACKAGES / part)
    return command


def distribution(race: Path) -> metadata.Distribution:
    """Return what is installed beside a command."""
    (packages,) = race.parents[1].glob("lib/python*/site-packages")
    (found,) = metadata.distributions(name=NAME, path=[str(packages)])
    return found


def needed(by: metadata.Distribution) -> set[str]:
    """Return the distributions that one needs without its extras, and what those need."""
    found = set()
    for one in map(Requirement, by.requires or []):
        if one.marker is None or one.marker.evaluate({"extra": ""}):
            found |= {one.name, *needed(metadata.distribution(one.name))}
    return found


def parts(name: str) -> set[str]:
    """Return the folders and files of a distribution in `site-packages`."""
    files = metadata.distribution(name).files or []
    return {file.parts[0] for file in files} - {"..", "__pycache__"}


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    """A folder with a program, and with modules that have the names of ours."""
    (tmp_path / "hello.py").write_text(SERVER)
    for name in ("databases", "handlers", "runtime"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('the wrong one')\n")
    return tmp_path


def need_wrk() -> None:
    if shutil.which("wrk") is None:
        absent("no wrk: apt-get install wrk")


def test_it_is_one_package_with_all_that_runs_and_nothing_else(wheel: Path, race: Path) -> None:
    with zipfile.ZipFile(wheel) as file:
        names = {Path(name) for name in file.namelist()}
    assert wheel.stat().st_size < MOST_BYTES
    assert {name.parts[0].partition("-")[0] for name in names} == {"race", "python_loop_races"}
    inside = {name.parts[2] for name in names if name.is_relative_to("race/_suite")}
    assert {"server.py", "races", "wrk_scripts", "templates", "tarantool"} <= inside
    assert not inside & {"docs", "tests", "results", "race", "requirements", "articles"}
    assert {Path("race/py.typed"), Path("race/report/templates/compare.html.j2")} <= names
    description = distribution(race).metadata
    assert (description["License-Expression"], description["Requires-Python"]) == ("MIT", ">=3.11")
    assert description.get_all("Provides-Extra") == ["locust", "site", "toolbench"]
    assert any(one.startswith(REQUIREMENT) for one in distribution(race).requires or [])


def test_programs_from_elsewhere_race(race: Path, elsewhere: Path) -> None:
    need_wrk()
    words = ["--program", FAST, "--program", SLOW, "--path", "/hello", *QUICKLY]
    done = ran(race, "run", *words, cwd=elsewhere)
    assert done.returncode == 0, done.stderr + done.stdout
    (folder,) = (path for path in (elsewhere / "race-results").iterdir() if path.is_dir())
    assert (folder / "report.html").exists()
    saved = load(folder)
    assert saved.head.environment.commit is None
    assert saved.head.environment.versions["race"] == distribution(race).version
    name = Path(sys.executable).name
    fast, slow = cpu_us(saved, name), cpu_us(saved, f"{name}-2")
    assert slow > fast + 3_000
    assert (elsewhere / "race-results" / ".gitignore").read_text() == "*\n"
    assert folder.name in ran(race, "list", cwd=elsewhere).stdout


def cpu_us(race: SavedRace, label: str) -> float:
    """Return the median CPU time of a request; rates depend on what else the machine does."""
    cells = [one for one in race.cells if one.label == label and one.count]
    return median(one.meters["cpu_ns"]["server"] / (one.count or 1) / 1000 for one in cells)


def test_what_is_missing_is_one_line_with_the_command(
    wheel: Path, race: Path, elsewhere: Path
) -> None:
    need_wrk()
    (elsewhere / "race.toml").write_text(WITH_DATABASE)
    origin = f" @ {wheel.as_uri()}'"
    for words, path, command in (
        (["quick"], os.environ["PATH"], f"{NAME}[site]{origin}"),
        (["toolbench"], os.environ["PATH"], f"{NAME}[toolbench]{origin}"),
        (["race.toml"], os.environ["PATH"], f" '{REQUIREMENT}'"),
        (["--program", FAST], str(race.parent), "apt-get install wrk"),
    ):
        done = ran(race, "run", *words, "--dry-run", cwd=elsewhere, PATH=path)
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1), done.stderr
        assert done.stderr.endswith(f"{command}\n")


def test_a_private_database_for_applications_needs_one_more_package(
    race: Path, elsewhere: Path
) -> None:
    need_wrk()
    (elsewhere / "race.toml").write_text(WITH_DATABASE)
    with_it = elsewhere / "packages"
    with_it.mkdir()
    package = Requirement(REQUIREMENT).name
    for name in {package, *needed(metadata.distribution(package))}:
        for part in parts(name):
            (with_it / part).symlink_to(PACKAGES / part)
    path = str(with_it)
    planned = ran(race, "run", "race.toml", "--dry-run", cwd=elsewhere, PYTHONPATH=path)
    assert planned.returncode == 0, planned.stderr
    started = ran(race.parent / "python", "-c", STARTED, cwd=elsewhere, PYTHONPATH=path)
    assert started.stdout.startswith("postgres"), started.stderr


def test_the_module_is_the_command_and_says_its_version(race: Path, elsewhere: Path) -> None:
    version = distribution(race).version
    for words in ([race], [race.parent / "python", "-m", "race"]):
        assert ran(*words, "--version", cwd=elsewhere).stdout == f"race {version}\n"
    for shell in ("bash", "zsh", "fish"):
        assert "race" in ran(race, "completion", shell, cwd=elsewhere).stdout
    done = ran(
        *("bash", "-c", f"{race} 8>&1 9>/dev/null"),
        cwd=elsewhere,
        _ARGCOMPLETE="1",
        COMP_LINE="race run laye",
        COMP_POINT="13",
    )
    assert done.stdout.strip() == "layers"


def test_with_the_extra_the_site_races_from_any_folder(race: Path, elsewhere: Path) -> None:
    need_wrk()
    words = ["quick", "--engines", "aiohttp-memory-one", "--pages", "good", *QUICKLY]
    done = ran(race, "run", *words, cwd=elsewhere, PYTHONPATH=str(PACKAGES))
    assert done.returncode == 0, done.stderr + done.stdout
    assert len(list((elsewhere / "race-results").glob("*/report.html"))) == 1
