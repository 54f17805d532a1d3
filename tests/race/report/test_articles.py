"""Claims of articles: their form, the verdict on each, the page that the project publishes."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace as changed

from race.analysis.pairing import Run
from race.cli import main
from race.commands import articles as command
from race.commands.claim import finder
from race.discipline import discipline
from race.errors import RaceError
from race.paths import CLAIMS, PUBLISHED, SCENARIOS
from race.plan import read
from race.plan.contenders import matching
from race.plan.works import closed_works
from race.report.articles import reader, unlike
from race.report.articles.claimed import FASTER, Article, Claim, Question, Range
from race.report.articles.page import Page, markdown
from race.report.articles.rows import Row, rows
from race.report.articles.verdicts import (
    DIFFERENT,
    HOLDS,
    MORE,
    REVERSED,
    UNDECIDED,
    UNMEASURED,
    UNTESTED,
    WEAKER,
)
from race.report.claims import compute
from race.report.measures import task_word
from race.saved.model import Cell, Contender, Discipline, Load
from race.saved.reader import SavedRace, load, read_head
from race.scenario import Scenario
from tests.race.report.reading import altered
from tests.support import records, user_load
from tests.support.synthetic import BASELINE, Recipe, failed, write
from toolbench.contenders import CONTENDER, lacking, raced
from toolbench.drivers import DRIVERS
from toolbench.scenario import ToolsScenario

FAST, BOUND = "sanic-tarantool-one", "japronto-tarantool-one"
RECIPE = Recipe(engines=(BASELINE, FAST, BOUND), pages=("good", "ugly"), rounds=6)
INF = math.inf
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


def test_a_pair_has_the_ratio_that_documents_have(results: Path, one: Run) -> None:
    found = row(one, asked())
    known = compute(["one", "good", FAST, BASELINE], finder(results, results))
    assert str(found.ratio) == known
    assert (found.verdict, found.differs) == (HOLDS, "two cores")
    assert found.measured == f"{FAST} over {BASELINE}: Good (article)"
    assert row(one, asked(), (3, math.inf)).verdict == WEAKER
    assert row(one, asked(), (1, 1)).verdict == DIFFERENT
    assert row(one, asked(tolerance=9.0), (1, 1)).verdict == HOLDS
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
def test_the_ratio_of_a_lower_bound_is_one(one: Run, sides: dict[str, str]) -> None:
    question = asked(first=BOUND, tasks=("ugly:x24",), **sides)
    found = row(one, question)
    assert found.bound
    assert found.ratio_text.startswith("≥ ")
    assert found.verdict == HOLDS
    assert f"{BOUND} on Ugly, 24 pipelined: the generator was full" in found.why
    assert "by CPU time" in found.why
    assert row(one, question, (1.5, 2)).verdict == MORE
    assert row(one, question, (99, INF)).verdict == UNDECIDED


def test_over_a_lower_bound_there_is_no_ratio(one: Run) -> None:
    found = row(one, asked(first=BASELINE, second=BOUND, tasks=("ugly:x24",)))
    assert (found.ratio, found.verdict, found.ratio_text) == (None, UNDECIDED, "–")
    assert "the generator was full" in found.why
    assert "by CPU time 0." in found.why


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


def changed_run(run: Run, change: Callable[[Cell], Cell], **head: Any) -> Run:
    """The run with its cells and its head changed."""
    race = altered(run.analysis.race, change)
    return Run.of(replace(race, head=changed(race.head, **head)))


def test_who_failed_was_not_measured_and_who_lacks_it_cannot_be(one: Run) -> None:
    dead = changed_run(one, lambda cell: failed(cell) if cell.label == FAST else cell)
    for question in (asked(), asked(tasks=("good", "ugly"), mean=True)):
        found = row(dead, question)
        assert (found.ratio, found.verdict) == (None, UNMEASURED)
        assert found.why == f"{FAST} on Good in one: dead"
    lacks = changed_run(one, lambda cell: cell, unsupported={FAST: {"good": "it has no rows"}})
    found = row(lacks, asked())
    assert (found.verdict, found.why) == (UNTESTED, f"{FAST} on Good: it has no rows")


def test_who_was_claimed_to_fail_is_asked_whether_it_does(one: Run) -> None:
    question = asked(second="", tasks=("ugly:x24",), against="ugly", fails=True)
    found = row(one, question)
    assert found.verdict == DIFFERENT
    assert found.why == "it does that: 12 of 14 cells count"
    assert found.ratio is not None
    dead = changed_run(one, lambda c: failed(c) if c.label == FAST and c.load.pipeline > 1 else c)
    assert (row(dead, question).verdict, row(dead, question).why) == (HOLDS, "dead")
    absent = row(one, asked(second="", tasks=("bad",), against="ugly", fails=True))
    assert absent.verdict == UNMEASURED


def test_a_claim_of_all_its_rows_holds_where_all_do(one: Run) -> None:
    def whole(*questions: Question) -> Row:
        claim = Claim(text="always faster", said="faster", every=True, here=questions)
        source = Article(title="T", source="S", conditions="C", claims=(claim,))
        first, *others = rows(source, {"article": [one]})
        assert first.whole
        assert first.measured == f"all of {len(others)} row{'s' * (len(others) > 1)}"
        assert Page.of([source], {"article": [one]}).summary.startswith(f"{len(others)} row")
        return first

    good, bad = asked(), asked(tasks=("bad",))
    assert whole(asked(tasks=("good", "ugly"))).verdict == HOLDS
    assert whole(bad).verdict == UNMEASURED
    assert whole(good, bad).verdict == UNDECIDED
    against = whole(good, bad, asked(first=BASELINE, second=FAST))
    assert against.verdict == DIFFERENT
    assert against.why == "it holds in 1 of 3 rows, 1 “reversed”, 1 “not measured yet”"


TOOLS = Discipline(
    name="tools",
    unit="operations",
    contender="driver",
    task="operation",
    parties=["driver", "database"],
    factors={"driver": ["quick", "slow"]},
    tasks={"wide": "Wide rows", "ints": "Integers"},
)
US = {"quick": 500.0, "slow": 1000.0}


def fixed(full: Mapping[tuple[str, str], str | None]) -> Run:
    """A race of ten at once; `full` is who was, by driver and operation, where not the driver."""

    def cell(label: str, task: str, number: int) -> Cell:
        rate = 1e6 / (US[label] * (1 + 0.01 * number))
        return records.cell(
            label,
            task=task,
            load=Load("runner", 10, duration_s=0.5, fixed=True),
            round=number,
            status="ok",
            reason=None,
            full=full.get((label, task), "driver"),
            count=round(rate),
            seconds=1.0,
            throughput=rate,
        )

    cells = [cell(label, task, n) for n in range(1, 9) for label in US for task in TOOLS.tasks]
    contenders = [Contender(label=label, name=label, factors={"driver": label}) for label in US]
    head = records.head(
        *contenders, discipline=TOOLS, scenario={"name": "tools"}, finished_at=records.NOW
    )
    return Run.of(SavedRace(Path("t"), head, cells, []))


def of_fixed(run: Run, ratio: Range, *tasks: str, first: str = "quick") -> Row:
    (second,) = US.keys() - {first}
    question = Question(race="tools", tasks=tasks, first=first, second=second, mean=len(tasks) > 1)
    (found,) = rows(article(question, ratio), {"tools": [run]})
    return found


def test_who_was_full_at_a_fixed_number_at_once_is_said() -> None:
    alone = of_fixed(fixed({}), (3, INF), "wide:c10")
    assert (alone.verdict, alone.why) == (WEAKER, "")
    run = fixed({("quick", "wide"): "database", ("slow", "ints"): "nobody", ("slow", "wide"): None})
    found = of_fixed(run, (3, INF), "wide:c10", "ints:c10")
    assert found.verdict == UNDECIDED
    assert found.why == (
        "a lower bound, the database was full; quick on Wide rows: the database was full; "
        "slow on Wide rows: whose core was full is not known; slow on Integers: no core was full"
    )
    held = of_fixed(run, (1.5, INF), "wide:c10")
    assert held.verdict == HOLDS
    assert held.why.startswith("quick on Wide rows: the database was full; slow on")
    assert of_fixed(run, (3, INF), "ints:c10").verdict == WEAKER
    assert of_fixed(run, FASTER, "wide:c10", first="slow").verdict == REVERSED
    idle = fixed({("quick", "wide"): "nobody"})
    assert of_fixed(idle, (3, INF), "wide:c10").verdict == WEAKER


POOL, QUERY = "aiohttp-psycopg-pool, link 0 ms", "aiohttp-psycopg-query, link 0 ms"


def of_user_load(
    folder: Path, change: Callable[[Cell], Cell] = lambda cell: cell, ratio: Range = FASTER
) -> Row:
    user_load.write(folder)
    run = changed_run(Run.of(load(folder)), change)
    question = Question(race="pool-shape", tasks=("reports:Steps",), first=POOL, second=QUERY)
    (found,) = rows(article(question, ratio), {"pool-shape": [run]})
    return found


@pytest.mark.parametrize(
    ("least", "most", "verdict"),
    [(1.035, 1.1, HOLDS), (1.025, 1.1, UNDECIDED), (1.02, 1.025, DIFFERENT), (0.9, 0.96, REVERSED)],
)
def test_of_a_user_load_the_interval_decides(
    tmp_path: Path, least: float, most: float, verdict: str
) -> None:
    """Its low end must be beyond 3 %."""

    def counts(cell: Cell) -> Cell:
        factor = least if cell.round % 2 else most
        return changed(cell, count=round(10_000 * factor) if cell.label == POOL else 10_000)

    found = of_user_load(tmp_path / "user_load", counts)
    assert found.verdict == verdict
    assert found.why.endswith("a user load ranks nobody: here the interval alone decides, by 3 %")


def test_who_did_not_keep_up_with_a_user_load_is_said(tmp_path: Path) -> None:
    def late(cell: Cell) -> Cell:
        if cell.label != QUERY:
            return cell
        errors = {"status": (cell.count or 0) // 4}
        return changed(cell, status="overloaded", reason="did not keep up", errors=errors)

    found = of_user_load(tmp_path / "user_load", late)
    assert found.ratio is not None
    assert f"{QUERY} did not keep up in 6 of 6 cells, and the 19.9 % [" in found.why
    assert "that failed are not counted; a user load ranks nobody" in found.why
    assert POOL not in found.why


@pytest.mark.parametrize(
    ("scenario", "command", "why"),
    [
        ({"duration_s": 0.5, "connections": 16}, (), ""),
        ({"duration_s": 0.8}, ("--set", "rounds=3"), ""),
        ({}, ("--set", "render=prepared"), ""),  # of old runs nothing is known
        (
            {"duration_s": 0.25},
            (),
            "run one was shorter than its scenario: cells of 0.25 s in place of 0.5",
        ),
        (
            {"connections": 4},
            (),
            "run one was not as its scenario: 4 connections in place of 16",
        ),
        (
            {"duration_s": 0.5},
            ("--set", "render=prepared"),
            "run one was not as its scenario: it set render=prepared",
        ),
    ],
)
def test_a_run_that_was_changed_by_hand_answers_no_claim(
    one: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    scenario: dict[str, Any],
    command: tuple[str, ...],
    why: str,
) -> None:
    monkeypatch.setattr(unlike, "SCENARIOS", tmp_path)
    (tmp_path / "article.toml").write_text("rounds = 9\n[load]\nduration_s = 0.5\n")
    head = {
        "scenario": {"name": "article", "load": scenario},
        "command": ["race", "run", "article", *command],
    }
    found = row(changed_run(one, lambda cell: cell, **head), asked())
    assert (found.why, found.verdict) == (why, UNMEASURED if why else HOLDS)


def test_a_user_load_of_another_shape_answers_no_claim(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unlike, "SCENARIOS", tmp_path)
    text = '[load]\nshape = "Steps"\nshape_options = { steps_stages = "25:8 0:5" }\n'
    (tmp_path / "pool-shape.toml").write_text(text)
    run = Run.of(load(user_load.write(tmp_path / "user_load")))

    def of(stages: str) -> str:
        given = {"shape": "Steps", "shape_options": {"steps_stages": stages}, "duration_s": 1.0}
        scenario = {"name": "pool-shape", "load": given}
        return unlike.unlike(changed_run(run, lambda cell: cell, scenario=scenario))

    assert of("25:8 0:5") == ""
    assert "was not as its scenario: shape options" in of("25:2 0:1")


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


def test_a_run_that_no_claim_asks_for_is_one_line(
    results: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path / "odd", replace(RECIPE, name="odd", scenario="odd"))
    claims = tmp_path / "claims"
    claims.mkdir()
    here = HERE.replace('"a"', f'"{FAST}"') + f'second = "{BASELINE}"\n'
    (claims / "t.toml").write_text(f"{LEAST}{here}")
    options = ["articles", "--results", str(results), "--claims", str(claims)]
    told = "race: no claim asks for odd (odd): claims ask for article\n"
    assert main([*options, str(tmp_path / "odd")]) == 1
    assert tuple(capsys.readouterr()) == ("", told)
    assert main([*options, str(tmp_path / "odd"), "one"]) == 0
    shown = capsys.readouterr()
    assert shown.err == told
    assert "1 row: 1 “holds”" in shown.out


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("title = 3", "t.toml: key"),
        ("titel = 'x'", "unknown key of the claims in t.toml 'titel': did you mean 'title'"),
        ("title = ", "t.toml: "),
        (LEAST, "it needs either 'here' or 'untested'"),
        (f"{LEAST}{HERE}", "it needs either 'second' or 'against'"),
        (f'{LEAST}ratio = [0.5, 2]\nuntested = "x"', "from 1 or more up, not from 0.5 to 2"),
        (f'{LEAST}ratio = [0, inf]\nuntested = "x"', "from 1 or more up, not from 0 to inf"),
        (f'{LEAST}tolerance = 0.9\nuntested = "x"', "key 'claims[0].tolerance'"),
        (f'{LEAST}untested = "x"\nfigures = 1', "unknown field figures"),
    ],
)
def test_a_file_that_is_not_right_is_one_line(tmp_path: Path, text: str, complaint: str) -> None:
    (tmp_path / "t.toml").write_text(text)
    with pytest.raises(RaceError) as caught:
        reader.read(tmp_path)
    assert complaint in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_folder_without_claims_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(RaceError, match="no claims in"):
        reader.read(tmp_path)


@pytest.fixture(scope="module")
def published() -> Page:
    articles = reader.read(CLAIMS)
    found = command.runs(command.scenarios(command.published()), reader.asked(articles))
    return Page.of(articles, found)


def test_published_runs_answer_what_asks_for_them(published: Page) -> None:
    """A mistyped task or contender would be "not measured yet" for good."""
    found = [row for _, each in published.articles for row in each if not row.whole]
    known = [f"({name})" for name in published.runs]
    answered = [one for one in found if any(one.measured.endswith(name) for name in known)]
    assert len(answered) >= 60
    for one in answered:
        assert one.verdict != UNMEASURED, (one.measured, one.why)


def test_the_document_is_what_the_command_makes(published: Page) -> None:
    """By hand: `race articles -o docs/claims.md`."""
    assert (PUBLISHED.parent / "claims.md").read_text(encoding="utf-8") == markdown(published)


QUESTIONS = [one for each in reader.read(CLAIMS) for one in each.questions()]


@pytest.mark.parametrize("race", sorted({one.race for one in QUESTIONS}))
def test_a_claim_is_of_what_its_scenario_races(race: str) -> None:
    """Or hours of a race would pass before somebody sees that nothing answers it."""
    assert race in read.names(), f"{SCENARIOS} has no {race}"
    scenario = read.load(race)
    works = closed_works(scenario, discipline(scenario.discipline).tasks)
    tasks = {task_word(work): work.task for work in works}
    labels = labels_of(scenario)
    for one in (question for question in QUESTIONS if question.race == race):
        asked_tasks = {*one.tasks, one.against} - {""}
        assert asked_tasks <= tasks.keys(), one
        for label in {one.first, one.second} - {""}:
            assert label in labels, (label, sorted(labels))
            cannot = {tasks[task] for task in asked_tasks} & labels[label]
            assert not cannot, (label, cannot)


def labels_of(scenario: Scenario) -> dict[str, set[str]]:
    """Label to the tasks that it has nothing for: of drivers as they would be raced here, of the
    site's engines as published runs have them, for which no engine has to be installed.
    """
    if isinstance(scenario, ToolsScenario):
        return {
            one.label: set(lacking(scenario, name))
            for name in matching(scenario, DRIVERS, CONTENDER)
            for one in raced(scenario, name)
        }
    heads = map(read_head, command.published())
    mine = [head for head in heads if head.scenario.get("name") == scenario.name]
    return {one.label: set() for head in mine for one in head.contenders}
