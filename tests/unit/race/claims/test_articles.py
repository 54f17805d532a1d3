"""Claims of articles: their files, the page that the project publishes, the command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from race.analysis.pairing import Run
from race.cli import main
from race.errors import RaceError
from race.report.claims import article
from race.report.claims.page import ClaimsPage, markdown
from race.report.claims.verdicts import WEAKER
from tests.support.synthetic import BASELINE, Recipe, write
from tests.unit.race.claims.conftest import FAST

LEAST = """
title = "T"
source = "S"
conditions = "C"
differs = "two cores"
[[claims]]
text = "one is faster"
said = "2 times"
"""
HERE = '[[claims.here]]\nrace = "article"\ntasks = ["good", "ugly"]\nfirst = "a"\n'
PAIR = HERE.replace('"a"', f'"{FAST}"') + f'second = "{BASELINE}"\n'


def folder(tmp_path: Path, text: str) -> Path:
    claims = tmp_path / "claims"
    claims.mkdir()
    (claims / "t.toml").write_text(text)
    return claims


def test_the_page_has_every_row_and_says_once_what_differs(one: Run, tmp_path: Path) -> None:
    other = PAIR.replace('"ugly"', '"ugly:x24"') + 'differs = "another <core>"\n'
    articles = article.read(folder(tmp_path, f"{LEAST}{PAIR}{other}"))
    page = ClaimsPage.of(articles, {"article": [one]})
    text = markdown(page)
    assert page.summary == "4 rows: 4 “holds”"
    for part in (
        "## T\n\nS. There: C Here, in all rows: two cores.",
        "1. another \\<core\\>",
        f"| 0.1 one is faster | 2 times | one | good | {FAST} | {BASELINE} | 1.",
        "|  |  |  | ugly |  |  | ",
        "| holds | 1 |",
        "| one | 20 November 2026, 20:45 UTC | 6 | 0123456789ab |",
    ):
        assert part in text, part
    assert text.count("two cores") == 1
    assert text.count("one is faster") == 1


def test_the_command_prints_writes_and_answers(
    results: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    claims = folder(tmp_path, f"{LEAST}ratio = [3, inf]\n{PAIR}")
    options = ["articles", "--results", str(results), "--claims", str(claims), "one", "two"]
    assert main(options) == 0
    assert "2 rows: 2 “weaker”" in capsys.readouterr().out
    assert main([*options, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    found, _ = answer["articles"][0]["rows"]
    assert found["verdict"] == WEAKER
    assert found["ratio"]["low"] < found["ratio"]["ratio"] < found["ratio"]["high"]
    assert answer["runs"] == {"article": ["one", "two"]}
    path = tmp_path / "claims.md"
    assert main([*options, "-o", str(path)]) == 0
    capsys.readouterr()
    assert main([*options, "--markdown"]) == 0
    assert capsys.readouterr().out == path.read_text()
    assert "article (2 runs): the smallest interval that contains" in path.read_text()


def test_a_run_that_no_claim_asks_for_is_one_line(
    results: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(
        tmp_path / "odd",
        Recipe(engines=(FAST,), pages=("good",), rounds=1, name="odd", scenario="odd"),
    )
    claims = folder(tmp_path, f"{LEAST}{PAIR}")
    options = ["articles", "--results", str(results), "--claims", str(claims)]
    message = "race: no claim asks for odd (odd): claims ask for article\n"
    assert main([*options, str(tmp_path / "odd")]) == 1
    assert tuple(capsys.readouterr()) == ("", message)
    assert main([*options, str(tmp_path / "odd"), "one"]) == 0
    shown = capsys.readouterr()
    assert shown.err == message
    assert "2 rows: 2 “holds”" in shown.out


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("title = 3", "t.toml: key"),
        ("titel = 'x'", "unknown key of the claims in t.toml 'titel': did you mean 'title'"),
        ("title = ", "t.toml: "),
        (LEAST, "it needs either 'here' or 'untested'"),
        (f"{LEAST}{HERE}", "it needs one of 'second', 'against' and 'measure'"),
        (f'{LEAST}{HERE}measure = "rte"', "unknown measure 'rte': did you mean 'rate'"),
        (f'{LEAST}ratio = [0.5, 2]\nuntested = "x"', "from 1 or more up, not from 0.5 to 2"),
        (f'{LEAST}ratio = [0, inf]\nuntested = "x"', "from 1 or more up, not from 0 to inf"),
        (f'{LEAST}tolerance = 0.9\nuntested = "x"', "key 'claims[0].tolerance'"),
        (f'{LEAST}untested = "x"\nfigures = 1', "'claims[0].figures'"),
    ],
)
def test_a_file_that_is_not_right_is_one_line(tmp_path: Path, text: str, complaint: str) -> None:
    with pytest.raises(RaceError) as caught:
        article.read(folder(tmp_path, text))
    assert complaint in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_folder_without_claims_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(RaceError, match="no claims in"):
        article.read(tmp_path)
