"""The commands of `race`: what they print, what they refuse before anything starts, and how."""

from __future__ import annotations

import json
import time
import tomllib
from argparse import Namespace
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import NoReturn

import pytest
from msgspec.structs import replace as changed

from race.app.commits import bisect
from race.app.commits import command as commits
from race.app.gate import command as gate
from race.cli import main, parser
from race.commands import doctor
from race.commands import list as list_command
from race.commands.options import as_words, exact, seconds
from race.commands.options import changed as changed_by
from race.discipline import Finding
from race.errors import RaceError
from race.machine import describe
from race.plan.read import from_file, names
from race.saved.head import Build
from race.scenario import Scenario
from race.terminal.phrases import moment
from runtime.paths import ROOT
from tests.support.race_lab import refused
from tests.support.synthetic import Recipe, write

SCENARIOS = len(names())
ENGINES = ("aiohttp-tarantool-one", "sanic-tarantool-one", "japronto-tarantool-one")
RECIPE = Recipe(name="small", engines=ENGINES, pages=("good", "ugly"), rounds=6, faults=False)


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a finished race, `small`, and one that was interrupted."""
    folder = tmp_path_factory.mktemp("results")
    write(folder / "small", RECIPE)
    write(folder / "half", Recipe(name="half", engines=ENGINES, pages=("good",), finished=False))
    return folder


@pytest.fixture
def local(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Three hours east of Greenwich."""
    with monkeypatch.context() as patch:
        patch.setenv("TZ", "UTC-3")
        time.tzset()
        yield
    time.tzset()


def printed(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """Run a command that succeeds and return its output."""
    assert main(list(words)) == 0
    return capsys.readouterr().out


def test_the_version_is_the_projects(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["--version"])
    assert not caught.value.code
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert capsys.readouterr().out == f"race {project['version']}\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["rnu"], "invalid choice: 'rnu': did you mean 'run'?"),
        (["run", "--ruonds", "3"], "unknown argument '--ruonds': did you mean '--rounds'?"),
        (["run", "--duration", "0.1"], "'0.1' is too short: a cell takes at least 0.2 s"),
        (["run", "--duration", "100ms"], "'100ms' is too short"),
        (["run", "--duration", "long"], "'long' is no time, such as 5, 5s or 500ms"),
        (["run", "--duration", "nan"], "is no time"),
        (["run", "--engines", ""], "has an empty name"),
        (["run", "--pages", "good,,ugly"], "has an empty name"),
        (["run", "--pages", "good,/good"], "pages has 'good' twice"),
        (["run", "--engines", "sanic-memory-one,Sanic-memory-one"], "'sanic-memory-one' twice"),
        (["run", "articel"], "unknown scenario 'articel': did you mean 'article'?"),
        (["run", "--pages", "indx"], "did you mean 'index'?"),
        (["run", "--rounds", "0"], "key 'rounds': expected int >= 1"),
        (["run", "quick", "--pages", "good", "ugly"], "unexpected 'ugly': separate values"),
        (
            ["run", "--pages", "good", "ugly"],
            f"'ugly': all {SCENARIOS} are in `race list`",
        ),
        (["run", "--pages", "about x24"], "'about' under a load: type 'about' and --set load.pip"),
        (["run", "toolbench", "--operations", "wide (1 at once)"], "--set load.concurrency=1"),
        (["run", "toolbench", "--drivers", "asyncpg, uvloop"], "this one add --set loop=uvloop"),
        (["claim", "article-1", "good", "aiohttp-tarantool-one (A/A)", "x"], "is the A/A twin of"),
        (["show", "nosuch"], "unknown scenario or race 'nosuch': all "),
        (["run", "zzz"], f"unknown scenario 'zzz': all {SCENARIOS} are in `race list`"),
        (["show", "quik"], "unknown scenario or race 'quik': did you mean 'quick'?"),
        (["show", "quick", "--cells"], "quick is a scenario: only a saved race has cells"),
        (["report", "latest"], "no saved races in "),
        (["run", "quick", "--factors", "loop"], "--factors is for applications, and quick races"),
        (["run", "quick", "--allow-different"], "--allow-different is for applications, and qui"),
    ],
    ids=lambda it: " ".join(it) if isinstance(it, list) else "",
)
def test_wrong_use_is_one_short_line(
    words: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line = refused(capsys, *words, *([] if len(words) == 1 else ["--results", str(tmp_path)]))
    assert said in line
    assert len(line) < 200
    assert list(tmp_path.iterdir()) == []


def test_an_option_without_a_value_is_typed_as_it_was(tmp_path: Path) -> None:
    """A race saves the command that repeats it."""
    data = {"discipline": "app", "serve": "x {port}", "requests": [{"name": "it", "get": "/"}]}
    scenario = from_file(tmp_path / "race.toml", data)
    options = parser().parse_args(["run", "race.toml", "--allow-different", "--factors", "a"])
    assert as_words(options, scenario.discipline) == ["--factors", "a", "--allow-different"]
    options.factors = None
    assert changed_by(scenario, options).as_json()["allow_different"] is True


def test_a_choice_is_the_title_unless_there_is_another(tmp_path: Path) -> None:
    data = {"discipline": "app", "serve": "x {port}", "requests": [{"name": "it", "get": "/"}]}
    scenario = from_file(tmp_path / "race.toml", data)
    for more, title in ((), "all servers on it"), (["--set", "title=a and b"], "a and b"):
        options = parser().parse_args(["run", "race.toml", "--requests", "it", *more])
        assert changed_by(scenario, options).title == title


@pytest.mark.parametrize(
    "text",
    [
        "commits main HEAD --file a.toml --merge-base --servers a,b --rounds 9",
        "gate main --file race.toml --slower 3.5% --p99 25% --within 600s",
        "gate --file race.toml --set load.rates=[10] --slower 5% --within 1000000s",
        "bisect v1 main --file race.toml --duration 0.5 --request list --slower 5% --within 3600s",
    ],
)
def test_a_command_with_commits_is_saved_with_all_its_options(text: str) -> None:
    options = parser().parse_args(text.split())
    typed: dict[str, Callable[[Namespace], list[str]]] = {
        "commits": partial(commits.typed, "commits"),
        "gate": gate.typed,
        "bisect": bisect.typed,
    }
    assert typed[text.split(maxsplit=1)[0]](options) == text.split()


def test_a_number_is_typed_without_an_exponent() -> None:
    assert [exact(number) for number in (1.5e6, 100 * 0.07, 0.1)] == ["1500000", "7", "0.1"]


def test_an_interpreter_that_is_not_here_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(
        'title = "t"\nengines = ["aiohttp-memory-one"]\npages = ["ugly"]\npythons = ["3.99"]\n'
    )
    line = refused(capsys, "run", str(path), "--dry-run")
    assert "no environment for CPython 3.99, only for " in line
    assert line.endswith("run make env PYTHONS=3.99")


@pytest.mark.parametrize(
    ("text", "value"), [("5", 5.0), ("5s", 5.0), ("500ms", 0.5), (".25", 0.25), ("0.2 s", 0.2)]
)
def test_a_time_has_several_forms(text: str, value: float) -> None:

    assert seconds(text) == pytest.approx(value)


@pytest.mark.parametrize(
    ("text", "shown_text"),
    [
        ("round=3", "unknown scenario key 'round': did you mean 'rounds'?"),
        ("load.pipe=3", "unknown scenario key 'load.pipe': did you mean 'load.pipeline'?"),
        ("rounds.x=3", "rounds is no table, so it has no rounds.x"),
        ("rounds=many", "key 'rounds': expected int, got str"),
        ("rounds", "'rounds' is no KEY=VALUE"),
    ],
)
def test_a_wrong_key_or_value_is_one_line(
    text: str, shown_text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert shown_text in refused(capsys, "run", "quick", "--set", text)


def test_a_race_is_shown_as_at_its_end(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = sorted(path for path in results.rglob("*"))
    shown = printed(capsys, "show", "small", "--results", str(results))
    assert shown.startswith("small: Everything the sticker article measured\n")
    assert "requests/s" in shown
    for engine in ENGINES:
        assert engine in shown
    assert ", finished, " in shown
    assert ", interrupted, " in printed(capsys, "show", "half", "--results", str(results))
    assert sorted(path for path in results.rglob("*")) == before


def test_a_race_is_found_by_the_id_that_heads_its_report(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path / "renamed", RECIPE)
    (tmp_path / "damaged").mkdir()
    (tmp_path / "damaged" / "run.json").write_text("{")
    where = ["--results", str(tmp_path)]
    assert printed(capsys, "show", "small", *where) == printed(capsys, "show", "renamed", *where)
    assert "| rank |" in printed(capsys, "report", "small", "--markdown", *where)
    assert printed(capsys, "claim", "small", "good", *ENGINES[:2], *where)


def test_a_saved_race_goes_before_a_scenario_of_the_same_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path / "article", RECIPE)
    shown = printed(capsys, "show", "article", "--results", str(tmp_path))
    assert ", finished, " in shown
    assert "`race run article --dry-run` shows its plan" in " ".join(shown.split())


def test_cells_are_shown_when_they_are_asked_for(
    results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    where = ["small", "--results", str(results)]
    cells = json.loads(printed(capsys, "show", "--json", *where))
    shown = printed(capsys, "show", "--cells", *where)
    assert len(shown.splitlines()) >= len(cells)


def test_times_are_local_and_for_people(local: None) -> None:
    assert moment("2026-11-21T11:05:00+00:00") == "21 Nov 2026 14:05"
    assert moment("2026-11-21T11:05:00") == "21 Nov 2026 11:05"
    assert moment("") == ""


def test_the_list_has_them_so(
    results: Path, local: None, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(scenario: Scenario) -> NoReturn:
        raise RaceError("no program can run here")

    monkeypatch.setattr(list_command, "prepare", refuse)  # it asks what is installed
    where = ["--results", str(results)]
    shown = printed(capsys, "list", *where)
    assert "20 Nov 2026 23:45" in shown
    assert "toolbench-sqlalchemy-full " in shown  # 80 columns cut no name
    assert "\naa, adapters, adapters-wsgi, aiotarantool, " in shown
    assert " cannot run here: no program can run here " in " ".join(shown.split())
    assert "Published races, in docs/results: adapters, adapters-wsgi, " in shown
    listed = json.loads(printed(capsys, "list", "--json", *where))
    hours = {datetime.fromisoformat(one["began"]).astimezone(UTC).hour for one in listed["races"]}
    assert hours == {20}
    assert {one["time"] for one in listed["scenarios"]} == {"no program can run here"}


def found(monkeypatch: pytest.MonkeyPatch, *findings: Finding) -> None:
    """All that the doctor sees."""
    for part in ("_programs", "_builds", "_machine", "_noise"):
        monkeypatch.setattr(doctor, part, list)
    monkeypatch.setattr(doctor, "_disciplines", lambda: list(findings))


@pytest.mark.parametrize(
    ("finding", "status", "said"),
    [
        (Finding("wrk", False, "not installed", True), 1, "cannot run: wrk."),
        (Finding("wrk", True, "version 4", True), 0, "can run."),
        (Finding("steal", False, "9.0 %, limit 2 %"), 0, "can run, but nothing will count."),
        (Finding("steadiness", False, "29 %, limit 10 %"), 0, "can run."),
        (Finding("oha", None, "not installed"), 0, "can run."),
    ],
)
def test_the_doctor_fails_for_what_a_default_race_needs_alone(
    finding: Finding,
    status: int,
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    found(monkeypatch, finding)
    assert main(["doctor"]) == status
    shown = capsys.readouterr().out
    assert shown.rstrip().endswith(f"A default race (`race run`) {said}")
    assert main(["doctor", "--json"]) == status
    assert json.loads(capsys.readouterr().out)["good"] == (status == 0)


def test_noise_is_told_with_its_limit_and_what_to_do() -> None:
    quiet = doctor._level("steal", 0.02, 0.02, "go elsewhere")
    assert quiet == Finding("steal", True, "2.0 %, limit 2 %")
    # What is shown is judged: no 2.0 % is over 2 %.
    assert doctor._level("steal", 0.0204, 0.02, "").good
    loud = doctor._level("steal", 0.0206, 0.02, "go elsewhere")
    assert loud == Finding("steal", False, "2.1 %, limit 2 %: go elsewhere")


def test_a_slow_build_is_told_with_the_command_for_a_fast_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    slow = Build(pgo=True, lto=False, flags=[], compiler="GCC", loop_us=300.4)
    builds = {"3.13": changed(slow, lto=None), "3.7": slow}
    monkeypatch.setattr(doctor, "present_versions", lambda: list(builds))
    monkeypatch.setattr(doctor, "executable", lambda version: version or "3.13")
    monkeypatch.setattr(describe, "current_python", lambda: "3.13")
    monkeypatch.setattr(describe, "built", builds.get)
    monkeypatch.setattr("race.commands.doctor.shutil.which", lambda name: f"/usr/bin/{name}")
    fast, warned = doctor._builds()
    assert fast == Finding("CPython 3.13", True, "with PGO, loop 300 us")
    assert not warned.good
    assert warned.text.startswith("with PGO, without LTO, loop 300 us: ")
    assert warned.text.endswith("--with-lto' pyenv install --force 3.7 && make env")
    builds["3.13"] = slow
    assert doctor._builds()[0].text.endswith(": uv python install 3.13 && make env")
    monkeypatch.setattr("race.commands.doctor.shutil.which", lambda name: None)
    assert doctor._builds()[0].text.endswith(" pyenv install --force 3.13 && make env")


def test_cores_are_told_in_words() -> None:
    two = {"server": frozenset([0]), "generator": frozenset([1]), "database": frozenset([1])}
    assert doctor._in_words(two) == "server on core 0, generator and database on core 1"
    assert "all on the same one" in doctor._in_words(dict.fromkeys(two, frozenset()))
    many = {"server": frozenset([3, 2]), "generator": frozenset([5])}
    assert doctor._in_words(many) == "server on cores 2, 3, generator on core 5"
