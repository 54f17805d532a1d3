"""A folder of results may be from anywhere: what it names is not run unasked."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from msgspec.structs import replace

from race.cli import main
from race.errors import RaceError
from race.machine.describe import current_python
from race.plan.contenders import with_twins
from race.run import race
from race.saved.model import Contender
from race.scenario import Scenario
from race.terminal import programs
from race.web import engines
from race.web.catalogue import Catalogue, Entry
from race.web.scenario import Hosts, Program, SiteScenario
from tests.support.records import head, write

ENTRIES = [Entry("one-memory", {"web": "one", "python": "3.13"}, None)]


class Terminal(io.StringIO):
    """Somebody types."""

    def isatty(self) -> bool:
        """Yes."""
        return True


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing was run here yet; one engine is listed."""
    monkeypatch.setenv("VAR_DIR", str(tmp_path / "var"))
    monkeypatch.setattr("sys.stdin", io.StringIO("yes\n"))
    found = Catalogue({"web": ["one"], "render": ["plain"]}, ENTRIES)
    monkeypatch.setattr(engines, "catalogue", lambda version=None: found)


def test_a_folder_does_not_choose_a_machine_to_connect_to() -> None:
    far = replace(scenario(), hosts=Hosts(database="far"))
    with pytest.raises(RaceError, match="there is no terminal to ask on"):
        programs.ask(far)
    programs.remember(far)
    programs.ask(far)


def scenario(*words: str) -> SiteScenario:
    """Return a scenario, with a program if there are words."""
    named = {"mine": Program(command=words)} if words else {}
    return SiteScenario(
        name="x", title="X", contenders=("one-memory", *named), tasks=("ugly",), programs=named
    )


def saved(folder: Path, chosen: Scenario, *contenders: Contender) -> Path:
    """Save an interrupted race and return its folder."""
    return write(folder, head(*contenders, race="r", scenario=chosen.as_json()))


def refused(capsys: pytest.CaptureFixture[str], *words: str) -> list[str]:
    """Return the error of a `race resume` that does nothing."""
    assert main(["resume", *words]) == 2
    return capsys.readouterr().err.splitlines()


def test_without_a_person_nothing_is_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def begun(*words: object) -> None:
        pytest.fail("it was run")

    monkeypatch.setattr("race.commands.resume.carry_out", begun)
    folder = saved(
        tmp_path / "r", scenario("rm", "-rf", "a b\x1b[2K"), Contender(label="mine", name="mine")
    )
    expected = refused(capsys, str(folder))
    assert expected[1] == "  mine: rm -rf 'a b\\x1b[2K'"
    assert expected[2].endswith("there is no terminal to ask on: allow them with --run-programs")
    assert len(expected) == 3


@pytest.mark.parametrize(("typed", "runs"), [("y\n", True), ("\n", False), ("", False)])
def test_a_person_is_asked(typed: str, runs: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", Terminal(typed))
    if runs:
        programs.ask(scenario("x"))
        return
    with pytest.raises(RaceError, match="nothing was run"):
        programs.ask(scenario("x"))


def test_what_was_begun_here_is_not_asked_about() -> None:
    programs.remember(scenario("x", "y"))
    programs.ask(scenario("x", "y"))
    programs.ask(scenario())
    with pytest.raises(RaceError):
        programs.ask(scenario("x", "y", "z"))


def test_who_has_said_so_is_not_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("race.commands.resume.carry_out", lambda *words: 0)
    chosen = scenario("x")
    monkeypatch.setattr(engines, "found_pythons", lambda: [current_python()])
    found = with_twins(chosen, engines.choose(chosen).contenders)
    folder = saved(tmp_path / "r", chosen, *found)
    assert refused(capsys, str(folder))
    assert main(["resume", str(folder), "--run-programs"]) == 0


def test_a_contender_is_what_it_is_here(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The interpreter that a folder says is a path, too."""
    monkeypatch.setattr("race.commands.resume.carry_out", lambda *words: 0)
    found = with_twins(scenario(), engines.choose(scenario()).contenders)
    assert main(["resume", str(saved(tmp_path / "r", scenario(), *found))]) == 0
    for name, wrong in {
        "python": replace(found[0], factors={**found[0].factors, "python": "3.7/../../../tmp/x"}),
        "name": replace(found[0], name="two"),
    }.items():
        folder = saved(tmp_path / name, scenario(), wrong, *found[1:])
        expected = refused(capsys, str(folder))
        assert expected == ["race: r cannot go on: one-memory is another contender here"]


def test_a_race_that_is_not_allowed_is_not_even_planned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no(chosen: Scenario) -> None:
        raise RaceError("no")

    monkeypatch.setattr(engines, "catalogue", lambda version=None: pytest.fail("it was planned"))
    folder = saved(tmp_path / "r", scenario("x"), Contender(label="mine", name="mine"))
    with pytest.raises(RaceError, match=r"^no$"):
        race.resumed(folder, no)
