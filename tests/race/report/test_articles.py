"""Claims of articles: their form, the verdict on each, the page that the project publishes."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest

from race.analysis.pairing import Run
from race.cli import main
from race.commands import articles as command
from race.commands.claim import finder
from race.errors import RaceError
from race.paths import CLAIMS, PUBLISHED
from race.plan.read import names
from race.report.articles.claimed import FASTER, Article, Claim, Question, Range
from race.report.articles.page import Page, markdown
from race.report.articles.verdicts import (
    DIFFERENT,
    HOLDS,
    MORE,
    REVERSED,
    UNDECIDED,
    UNMEASURED,
    UNTESTED,
    WEAKER,
    Measured,
    Row,
    judged,
    rows,
)
from race.report.claims import compute
from race.stats.estimate import Estimate
from tests.support.synthetic import BASELINE, Recipe, write

FAST, BOUND = "sanic-tarantool-one", "japronto-tarantool-one"
RECIPE = Recipe(engines=(BASELINE, FAST, BOUND), pages=("good", "ugly"), rounds=6)
LEAST = """
title = "T"
source = "S"
conditions = "C"
[[claims]]
text = "one is faster"
said = "2 times"
"""
HERE = '[[claims.here]]\nrace = "article"\ntasks = ["good"]\nfirst = "a"\n'


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("results")
    for seed, name in enumerate(("one", "two")):
        write(folder / name, replace(RECIPE, name=name, seed=seed))
    return folder


@pytest.fixture(scope="module")
def one(results: Path) -> Run:
    return finder(results, results)("one")


def asked(**more: object) -> Question:
    least = {"race": "article", "tasks": ("good",), "first": FAST, "second": BASELINE}
    return Question(**{**least, **more})  # type: ignore[arg-type]


def article(question: Question, ratio: Range = FASTER) -> Article:
    claim = Claim(text="one is faster", said="so much", ratio=ratio, here=(question,))
    return Article(title="T", source="S", conditions="C", claims=(claim,), differs="two cores")


def row(run: Run, question: Question, ratio: Range = FASTER) -> Row:
    (found,) = rows(article(question, ratio), {"article": [run]})
    return found


def estimate(value: float, low: float, high: float) -> Estimate:
    return Estimate(math.log(value), math.log(low), math.log(high), 9)


@pytest.mark.parametrize(
    ("claimed", "measured", "winner", "verdict"),
    [
        ((3, math.inf), (3.4, 3.1, 3.8), 1, HOLDS),
        ((3, math.inf), (2.9, 2.7, 3.1), 1, HOLDS),
        ((3, math.inf), (2.0, 1.9, 2.1), 1, WEAKER),
        ((3, math.inf), (1.0, 0.9, 1.1), 0, WEAKER),
        ((3, math.inf), (0.5, 0.4, 0.6), -1, REVERSED),
        ((1.22, 1.28), (1.1, 0.9, 1.3), 0, UNDECIDED),
        ((1.22, 1.28), (1.5, 1.4, 1.6), 1, MORE),
        ((7, 7), (8.0, 6.5, 9.0), 1, HOLDS),
        ((1, math.inf), (1.1, 1.06, 1.2), 1, HOLDS),
        ((1, math.inf), (1.0, 0.97, 1.04), 0, UNDECIDED),
        ((1, 1), (1.0, 0.95, 1.06), 0, HOLDS),
        ((1, 1), (1.3, 1.2, 1.4), 1, DIFFERENT),
        ((1, 1), (0.7, 0.6, 0.8), -1, DIFFERENT),
    ],
)
def test_a_verdict_is_by_interval_and_winner(
    claimed: Range, measured: tuple[float, float, float], winner: int, verdict: str
) -> None:
    assert judged(claimed, Measured(estimate(*measured), winner))[0] == verdict


def test_without_an_interval_nothing_is_decided() -> None:
    unbounded = Estimate(1.0, -math.inf, math.inf, 3)
    assert judged((2, 2), Measured(unbounded, 0)) == (UNDECIDED, "too few rounds for an interval")
    assert judged((2, 2), Measured(None, 0)) == (UNTESTED, "")


def test_a_pair_has_the_ratio_that_documents_have(results: Path, one: Run) -> None:
    found = row(one, asked())
    known = compute(["one", "good", FAST, BASELINE], finder(results, results))
    assert str(found.ratio) == known
    assert (found.verdict, found.differs) == (HOLDS, "two cores")
    assert found.measured == f"{FAST} over {BASELINE}: Good (article)"
    assert row(one, asked(), (3, math.inf)).verdict == WEAKER
    assert row(one, asked(), (1, 1)).verdict == DIFFERENT
    assert row(one, asked(first=BASELINE, second=FAST)).verdict == REVERSED
    assert row(one, asked(ratio=(3.0, 9.0), said="3 times")).said == "3 times"
    assert row(one, asked(differs="no link")).differs == "no link; two cores"


def test_several_runs_are_one_result(results: Path) -> None:
    runs = [finder(results, results)(name) for name in ("one", "two")]
    (found,) = rows(article(asked()), {"article": runs})
    known = compute(["one+two", "good", FAST, BASELINE], finder(results, results))
    assert str(found.ratio) == known


def test_a_mean_lies_between_its_tasks(one: Run) -> None:
    good, ugly = (row(one, asked(tasks=(task,))).ratio for task in ("good", "ugly"))
    both = row(one, asked(tasks=("good", "ugly"), mean=True))
    assert good is not None
    assert ugly is not None
    assert both.ratio is not None
    assert both.ratio.value == pytest.approx((good.value + ugly.value) / 2, abs=0.02)
    assert both.measured == f"{FAST} over {BASELINE}: the mean of Good and Ugly (article)"
    each = rows(article(asked(tasks=("good", "ugly"))), {"article": [one]})
    assert [str(found.ratio) for found in each] == [str(good), str(ugly)]


def test_a_contender_is_compared_with_itself_on_another_task(one: Run) -> None:
    found = row(one, asked(first=FAST, second="", tasks=("ugly:x24",), against="ugly"))
    assert found.ratio
    assert found.ratio.ratio == pytest.approx(24**0.12, rel=0.05)
    assert found.measured == f"{FAST}: Ugly, 24 pipelined over Ugly (article)"


@pytest.mark.parametrize(
    "sides", [{"second": BASELINE}, {"second": "", "against": "ugly"}], ids=("pair", "itself")
)
def test_where_a_rate_is_a_lower_bound_cpu_time_speaks(one: Run, sides: dict[str, str]) -> None:
    found = row(one, asked(first=BOUND, tasks=("ugly:x24",), **sides))
    assert found.ratio
    assert found.ratio.ratio > 2
    assert f"of CPU time, since {BOUND} on Ugly, 24 pipelined: the generator was full" in found.why


def test_what_no_run_has_is_not_measured(one: Run) -> None:
    for question, why in (
        (asked(race="other"), "no run of other"),
        (asked(tasks=("bad",)), "bad was not raced in one"),
        (asked(first="pgx"), "pgx did not run on good in one"),
    ):
        found = row(one, question)
        assert (found.ratio, found.verdict, found.why) == (None, UNMEASURED, why)
    claim = Claim(text="old", said="10 %", untested="no wheels")
    source = Article(title="T", source="S", conditions="C", claims=(claim,))
    (found,) = rows(source, {})
    assert (found.verdict, found.why) == (UNTESTED, "no wheels")


def test_the_page_has_every_row_and_the_runs(one: Run) -> None:
    page = Page.of([article(asked(tasks=("good", "ugly")))], {"article": [one]})
    text = markdown(page)
    assert page.summary == "2 rows: 2 “holds”"
    for part in (
        "## T\n\nS. There: C",
        "| one is faster | so much |",
        "|  | so much |",
        "two cores",
        "| one | 20 November 2026, 20:45 UTC | 6 | 0123456789ab |",
        "CPython 3.13.0: aiohttp 3.14.5",
        "Measured on 20 November 2026.",
    ):
        assert part in text, part
    assert markdown(page) == text


def test_the_command_prints_writes_and_answers(
    results: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    claims = tmp_path / "claims"
    claims.mkdir()
    here = HERE.replace('"a"', f'"{FAST}"') + f'second = "{BASELINE}"\n'
    (claims / "t.toml").write_text(f"{LEAST}ratio = [3, inf]\n{here}")
    options = ["articles", "--results", str(results), "--claims", str(claims), "one", "two"]
    assert main(options) == 0
    assert "1 row: 1 “weaker”" in capsys.readouterr().out
    assert main([*options, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    (found,) = answer["articles"][0]["rows"]
    assert found["verdict"] == WEAKER
    assert found["ratio"]["low"] < found["ratio"]["ratio"] < found["ratio"]["high"]
    assert answer["runs"] == {"article": ["one", "two"]}
    path = tmp_path / "claims.md"
    assert main([*options, "-o", str(path)]) == 0
    capsys.readouterr()
    assert main([*options, "--markdown"]) == 0
    assert capsys.readouterr().out == path.read_text()
    assert "article (2 runs): the smallest interval that contains" in path.read_text()


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("title = 3", "t.toml: key"),
        ("titel = 'x'", "unknown key of the claims in t.toml 'titel': did you mean 'title'"),
        ("title = ", "t.toml: "),
        (LEAST, "it needs either 'here' or 'untested'"),
        (f"{LEAST}{HERE}", "it needs either 'second' or 'against'"),
        (f'{LEAST}ratio = [0.5, 2]\nuntested = "x"', "from 1 or more up, not from 0.5 to 2"),
        (f'{LEAST}untested = "x"\nfigures = 1', "unknown field figures"),
    ],
)
def test_a_file_that_is_not_right_is_one_line(tmp_path: Path, text: str, complaint: str) -> None:
    (tmp_path / "t.toml").write_text(text)
    with pytest.raises(RaceError) as caught:
        command.read(tmp_path)
    assert complaint in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_folder_without_claims_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(RaceError, match="no claims in"):
        command.read(tmp_path)


@pytest.fixture(scope="module")
def published() -> Page:
    articles = command.read(CLAIMS)
    return Page.of(articles, command.runs(command.published(), articles))


def test_what_published_runs_can_answer_they_do(published: Page) -> None:
    """A mistyped task or contender would be "not measured yet" for good."""
    found = [row for _, each in published.articles for row in each]
    known = [f"({name})" for name in published.runs]
    for one in found:
        if any(one.measured.endswith(name) for name in known):
            assert one.ratio is not None, (one.measured, one.why)
    assert sum(row.ratio is not None for row in found) >= 30


def test_the_document_is_what_the_command_makes(published: Page) -> None:
    """By hand: `race articles -o docs/claims.md`."""
    assert (PUBLISHED.parent / "claims.md").read_text(encoding="utf-8") == markdown(published)


def test_the_claims_are_of_races_that_there_are() -> None:
    every = [claim for each in command.read(CLAIMS) for claim in each.claims]
    asked_of = {question.race for claim in every for question in claim.here}
    assert asked_of <= set(names())
