"""The plan of a race: who can run here, what is refused, and what a plan shows."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from databases import DATABASES
from race import load as generators
from race.cli import main
from race.commands import doctor
from race.discipline import Finding
from race.load.oha import Oha
from race.paths import SCENARIOS
from race.plan.forecast import Plan
from race.run import race
from race.web import findings as site
from tests.support import toy
from tests.support.race_lab import refused


def printed(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """Run a command that succeeds and return its output."""
    assert main(list(words)) == 0
    return capsys.readouterr().out


def test_what_is_accepted_means_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    plain, other = (
        json.loads(printed(capsys, "run", "--dry-run", "--json", *words))
        for words in (
            ["--engines", "aiohttp-memory-one", "--pages", "index,good", "--duration", "3"],
            ["--engines", "AIOHTTP-memory-one", "--pages", "/,/good", "--duration", "3s"],
        )
    )
    assert plain == other
    assert [one["load"]["duration_s"] for one in plain["works"]] == [3.0, 3.0]


def test_a_scenario_is_shown_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    shown = printed(capsys, "show", "quick")
    dry = printed(capsys, "run", "quick", "--dry-run")
    assert sorted(shown.splitlines()) == sorted(dry.splitlines())
    assert "quick: The article's nine engines on four pages" in shown
    assert re.search(r"cells in \d+ rounds: at least [\d.]+ minutes", shown)
    assert json.loads(printed(capsys, "show", "quick", "--json"))["name"] == "quick"


@pytest.mark.parametrize("words", [["show", "article"], ["run", "article", "--dry-run"]])
def test_a_plan_has_whole_names(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    lines = printed(capsys, *words).splitlines()
    assert max(map(len, lines)) <= 80
    (contenders,) = (at for at, line in enumerate(lines) if line.startswith("contenders: "))
    assert lines[contenders + 1].startswith("  ")
    assert any("aiohttp-tarantool-one (A/A)" in line for line in lines)
    assert any("aiohttp-postgres-pool-uvloop" in line for line in lines)


@pytest.mark.parametrize(
    ("words", "title"),
    [
        (
            ["--engines", "aiohttp-memory-one", "--pages", "/,good"],
            "aiohttp-memory-one on index, good",
        ),
        (["--pages", "good"], "9 engines on good"),
        (["--rounds", "6"], "The article's nine engines on four pages, within five minutes"),
    ],
)
def test_a_changed_race_is_called_what_it_is(
    words: list[str], title: str, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = printed(capsys, "run", "quick", "--dry-run", *words)
    assert f"quick: {title}" in shown.splitlines()


@pytest.mark.parametrize(
    ("words", "key", "values"),
    [
        (["--set", "rounds=3", "--set", "load.pipeline=1,24"], "pipeline", {1, 24}),
        (["--set", "rounds = 3", "--set", "load.pipeline=24"], "pipeline", {1, 24}),
        (["--set", "rounds=3", "--set", "load.duration_s=0.5"], "duration_s", {0.5}),
    ],
)
def test_any_key_is_changed_by_its_name(
    words: list[str], key: str, values: set[float], capsys: pytest.CaptureFixture[str]
) -> None:
    found = json.loads(printed(capsys, "run", "quick", "--dry-run", "--json", *words))
    assert found["rounds"] == 3
    assert {work["load"][key] for work in found["works"]} == values


def test_a_scenario_that_cannot_run_here_is_shown_too(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Oha, "missing", lambda self: "oha is not installed: make oha")
    shown = printed(capsys, "show", str(SCENARIOS / "latency.toml"))
    assert "latency: Latency at a fixed rate" in shown
    assert "it cannot run here: oha is not installed: make oha" in shown
    assert refused(capsys, "run", "latency") == "race: oha is not installed: make oha"


def found(monkeypatch: pytest.MonkeyPatch, *findings: Finding) -> None:
    """All that the doctor sees."""
    for part in ("_programs", "_machine", "_noise"):
        monkeypatch.setattr(doctor, part, list)
    monkeypatch.setattr(doctor, "_disciplines", lambda: list(findings))


def test_what_a_default_race_needs(monkeypatch: pytest.MonkeyPatch) -> None:

    for name in generators.GENERATORS:
        monkeypatch.setattr(type(generators.find(name)), "missing", lambda self: "gone")
    versions = dict.fromkeys((*generators.GENERATORS, *DATABASES), "1")
    listed = {one.subject: one for one in site.findings(versions)}
    assert (listed["wrk"].good, listed["wrk"].needed) == (False, True)
    assert (listed["oha"].good, listed["oha"].needed) == (None, False)
    assert listed["tarantool"].needed
    assert listed["default race"].needed
    assert re.match(r"\d of 9 engines", listed["default race"].text)


def test_a_race_begins_with_a_look_at_the_idle_cores_and_who_is_left_out(tmp_path: Path) -> None:
    toys, chosen = toy.Toys(), toy.scenario(discipline="web")
    plan = Plan(toys, chosen, toys.choose(chosen).contenders, ["absent: not installed"])
    head = race.new_head(plan, 1, [], tmp_path)
    assert head.left_out == ["absent: not installed"]
    assert plan.notes == ["left out: absent: not installed"]
    assert set(head.idle) == {"foreign", "unclaimed", "steal", "seconds"}
    assert head.idle["seconds"] >= 1


def test_patterns_choose_engines(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["run", "quick", "--engines", "*-memory-one", "--dry-run", "--set", "exclude=japronto*"]
    found = json.loads(printed(capsys, *words, "--pages", "ugly", "--json"))
    assert "aiohttp-memory-one" in found["contenders"]
    assert not [name for name in found["contenders"] if name.startswith("japronto")]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["run", "--engines", "djngo-*"], "no engine fits 'djngo-*': "),
        (["run", "--engines", "aiohttp"], "'aiohttp-*' takes all "),
        (["run", "--drivers", "asyncpg"], "unknown engine 'asyncpg': all "),
        (["run", "--engines", "aiohttp-memry-one"], "'aiohttp-memry-one': did you mean"),
    ],
)
def test_an_engine_that_is_not_known_is_one_line(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert said in refused(capsys, *words)


def test_labels_are_typed_as_they_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    engine = "aiohttp-memory-one, prepared"
    words = ["run", "templates", "--dry-run", "--json", "--engines", f"{engine} (A/A);{engine}"]
    assert json.loads(printed(capsys, *words))["contenders"] == [engine, f"{engine} (A/A)"]
