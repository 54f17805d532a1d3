"""A mistake on the command line is answered with one line."""

from __future__ import annotations

from typing import NoReturn

import pytest

from race.cli import main
from race.errors import RaceError
from toolbench import discipline


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["--drivers", "asynpg"], "unknown driver 'asynpg': did you mean 'asyncpg'?"),
        (["--set", "load.concurency=[1]"], "did you mean 'load.concurrency'?"),
    ],
)
def test_a_wrong_word_is_one_line(
    words: list[str], line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", "toolbench", *words]) == 2
    printed = capsys.readouterr()
    assert line in printed.err
    assert (printed.out, printed.err.count("\n")) == ("", 1)


def test_an_operation_file_that_is_wrong_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse() -> NoReturn:
        raise RaceError("unknown key of operation wide 'sqll'")

    monkeypatch.setattr(discipline, "operations", refuse)
    assert main(["run", "toolbench"]) == 2
    assert capsys.readouterr().err == "race: unknown key of operation wide 'sqll'\n"
