"""Command lines that are refused: one line, the nearest valid word, status 2."""

from __future__ import annotations

import argparse

import pytest

from runtime.arguments import WRONG_USE, Parser, did_you_mean, port, whole_number


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


@pytest.mark.parametrize(
    ("given", "known", "said"),
    [
        ("nosuch", ["toolbench", "quick"], ""),
        ("asyncpg", ["sanic-psycopg-one"], ""),
        ("aiohttp-nothing-one", ["aiohttp-postgres-one", "aiohttp-memory-one"], ""),
        ("godo", ["good", "ugly"], "did you mean 'good'?"),
        (
            "aiohttp-memry-one",
            ["aiohttp-memory-one", "sanic"],
            "did you mean 'aiohttp-memory-one'?",
        ),
    ],
)
def test_only_a_similar_word_is_offered(given: str, known: list[str], said: str) -> None:
    assert did_you_mean(given, known) == said


def test_whole_numbers_have_bounds() -> None:
    assert [port("0"), port("65535"), whole_number("x", 1, 3)("3")] == [0, 65535, 3]
    for text in ("", "-1", "65536", "1.5", "http", " 1"):
        with pytest.raises(argparse.ArgumentTypeError, match="is no port: 0 to 65535"):
            port(text)
