"""Command lines that are refused: one line, the nearest valid word, status 2."""

from __future__ import annotations

import pytest

from runtime.arguments import WRONG_USE, Parser


def parser() -> Parser:
    """A program with a command."""
    top = Parser("program")
    top.add_argument("--level", choices=["debug", "info"])
    to = top.add_subparsers(required=True, metavar="COMMAND")
    made = to.add_parser("compare")
    made.add_argument("--rounds", type=int)
    to.add_parser("doctor")
    return top


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "program: the following arguments are required: COMMAND: see program --help"),
        (
            ["comprae"],
            "program: argument COMMAND: invalid choice: 'comprae': did you mean 'compare'?",
        ),
        (["zzz"], "program: argument COMMAND: invalid choice: 'zzz': compare, doctor"),
        (
            ["--level", "inof", "doctor"],
            "program: argument --level: invalid choice: 'inof': did you mean 'info'?",
        ),
        (
            ["compare", "--ronds=3"],
            "program compare: unknown argument '--ronds': did you mean '--rounds'?",
        ),
        (["compare", "zzz"], "program compare: unknown argument 'zzz': see program compare --help"),
        (
            ["compare", "--rounds", "six"],
            "program compare: argument --rounds: invalid int value: 'six'",
        ),
    ],
    ids=lambda it: " ".join(it) if isinstance(it, list) else "",
)
def test_what_is_refused_is_one_line(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        parser().parse_args(words)
    assert caught.value.code == WRONG_USE
    assert capsys.readouterr() == ("", said + "\n")


def test_what_is_right_is_parsed() -> None:
    options = parser().parse_args(["--level", "info", "compare", "--rounds", "3"])
    assert (options.level, options.rounds) == ("info", 3)
