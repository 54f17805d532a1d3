"""Ctrl-C: the table so far, a report so far, and a command that goes on when it is pasted."""

from __future__ import annotations

import errno
import os
import shlex
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from race.commands import INTERRUPTED
from race.commands.run import carry_out
from race.discipline import Sample
from race.errors import RaceError
from race.paths import RESULTS
from race.plan.contenders import with_twins
from race.plan.forecast import Plan
from race.run.race import described
from race.saved.head import Head
from race.saved.model import Contender, Work
from race.saved.reader import CELLS_FILE, load
from race.terminal import again
from tests.support import records, toy


class Cut(toy.Toy):
    """Ctrl-C comes while it is driven for the last time."""

    def drive(self, work: Work) -> Sample:
        """Unless there are loads left."""
        assert isinstance(self.toys, Toys)
        if not self.toys.loads:
            raise KeyboardInterrupt
        self.toys.loads -= 1
        return super().drive(work)


@dataclass
class Toys(toy.Toys):
    """Interrupted after so many loads."""

    loads: int = 0

    def start(self, contender: Contender) -> toy.Toy:
        """One that can be interrupted."""
        super().start(contender)
        return Cut(contender.name, self)


def planned(toys: Toys) -> tuple[Head, Plan]:
    """A race of three toys called "one"."""
    chosen = toy.scenario()
    contenders = with_twins(chosen, toys.choose(chosen).contenders)
    head = records.head(
        *contenders,
        race="one",
        discipline=described(chosen, toys),
        scenario=chosen.as_json(),
        baseline="slow",
    )
    return head, Plan(toys, chosen, contenders, [])


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder in which the command was typed; the command is not on the PATH."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", [".venv/bin/race", "run"])
    return tmp_path


def test_an_interrupted_race_shows_what_it_has_and_goes_on_counting(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # The calibration takes three loads of each, a cell another three.
    toys, folder = Toys(loads=3 * 3 + 3), here / "races" / "one"
    head, plan = planned(toys)
    assert carry_out(folder, head, plan, False) == INTERRUPTED
    said = capsys.readouterr().out
    assert "[4/9] " in said
    assert "waiting" in said
    assert f"report so far: {folder / 'report.html'}" in said
    assert "<html" in (folder / "report.html").read_text()[:200]
    assert said.splitlines()[-1] == "  .venv/bin/race resume one --results ./races"
    toys.loads = 999
    assert carry_out(folder, head, plan, False) == 0
    said = capsys.readouterr().out
    assert "[5/9] " in said
    assert "[9/9] " in said
    assert "[1/9]" not in said


def test_a_full_disk_is_told_with_the_same_command(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = here / "races" / "one"

    def full(descriptor: int) -> None:
        if (folder / CELLS_FILE).read_bytes().count(b"\n") > 4:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(RaceError) as caught:
        carry_out(folder, *planned(Toys(loads=999)), False)
    assert str(caught.value) == (
        f"cannot save results in {folder}: No space left on device; finished cells are kept: "
        "make room and go on with .venv/bin/race resume one --results ./races"
    )
    assert len(load(folder).cells) == 4


def test_a_report_that_cannot_be_written_is_one_line(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(path: Path, content: bytes, follow: bool) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("race.commands.output.write_atomically", full)
    folder = here / "races" / "one"
    toys = Toys(loads=3 * 3 + 3)
    head, plan = planned(toys)
    assert carry_out(folder, head, plan, False) == INTERRUPTED
    why = f"cannot write {folder / 'report.html'}: No space left on device; all results are saved"
    assert f"report so far: none, {why}\n" in capsys.readouterr().out
    toys.loads = 999
    with pytest.raises(RaceError) as caught:
        carry_out(folder, head, plan, False)
    assert str(caught.value) == why
    assert f"results: {folder}\n" in capsys.readouterr().out
    assert load(folder).head.finished_at


def test_where_nothing_can_be_written_there_is_nothing_to_go_on_with(here: Path) -> None:
    (here / "races").write_text("")
    with pytest.raises(RaceError, match=r"Not a directory$"):
        carry_out(here / "races" / "one", *planned(Toys()), False)


def test_an_interrupt_before_anything_was_measured_has_no_report(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    toys, chosen = Toys(), toy.scenario()
    plan = Plan(toys, chosen, toys.choose(chosen).contenders, [])
    head = records.head(*plan.contenders, discipline=described(chosen, toys))
    assert carry_out(tmp_path / "one", head, plan, False) == INTERRUPTED
    said = capsys.readouterr().out
    assert "report" not in said
    assert "0 finished cells are kept" in said
    assert "resume one" in said


@pytest.mark.parametrize(
    ("called", "here", "words"),
    [
        ("{home}/.venv/bin/race", "{home}", [".venv/bin/race"]),
        (".venv/bin/race", "{home}", [".venv/bin/race"]),
        ("../.venv/bin/race", "{home}/docs", ["{home}/.venv/bin/race"]),
        ("race", "{home}/.venv/bin", ["./race"]),
        ("{home}/race/__main__.py", "{home}", [sys.executable, "-m", "race"]),
    ],
)
def test_the_command_is_called_as_this_one_was(
    called: str, here: str, words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "a home"
    for folder in (".venv/bin", "docs"):
        (home / folder).mkdir(parents=True)
    monkeypatch.chdir(here.format(home=home))
    monkeypatch.setattr(sys, "argv", [called.format(home=home)])
    expected = shlex.split(again.resume(RESULTS / "one"))
    assert expected == [*(word.format(home=home) for word in words), "resume", "one"]


def test_a_program_on_the_path_is_called_by_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "race"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "argv", [str(program)])
    assert again.resume(RESULTS / "one") == "race resume one"


def test_other_results_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine").mkdir()
    monkeypatch.chdir(tmp_path)
    assert again.resume(Path("mine/one")).endswith(" resume one --results ./mine")
    monkeypatch.chdir(tmp_path / "mine")
    assert again.resume(Path("one")).endswith(f" resume one --results {tmp_path / 'mine'}")
