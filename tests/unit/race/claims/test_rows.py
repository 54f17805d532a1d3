"""Rows of an article's claims: what is compared, the verdict, and why."""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace as changed

from race.analysis.pairing import Run
from race.report.claims import scenario
from race.report.claims.article import FASTER, Article, Claim, Question, Range
from race.report.claims.document import compute
from race.report.claims.page import ClaimsPage
from race.report.claims.pairs import comparisons
from race.report.claims.rows import ClaimRow, rows
from race.report.claims.verdicts import HOLDS, REFUTED, SHOWN, UNDECIDED, UNMEASURED, WEAKER
from race.saved.model import Cell
from race.saved.reader import SavedRace, load
from tests.support import records, user_load
from tests.support.synthetic import BASELINE, failed
from tests.unit.race.claims.conftest import BOUND, FAST

INF = math.inf


def asked(**more: object) -> Question:
    least = {"race": "article", "tasks": ("good",), "first": FAST, "second": BASELINE}
    return Question(**{**least, **more})  # type: ignore[arg-type]


def article(*questions: Question, ratio: Range = FASTER, every: bool = False) -> Article:
    claim = Claim(text="one is faster", said="so much", ratio=ratio, here=questions, every=every)
    return Article(title="T", source="S", conditions="C", claims=(claim,), differs="two cores")


def row(run: Run, question: Question, ratio: Range = FASTER) -> ClaimRow:
    (found,) = rows(article(question, ratio=ratio), {question.race: [run]})
    if found.ratio is not None:  # the words of a row find its ratio again
        assert compute(shlex.split(found.measured), lambda name: run) == found.ratio_text
    return found


def changed_run(run: Run, change: Callable[[Cell], Cell], **head: Any) -> Run:
    race = run.analysis.race
    cells = [change(cell) if cell.count else cell for cell in race.cells]
    return Run.of(replace(race, cells=cells, head=changed(race.head, **head)))


def test_a_pair_is_compared_as_documents_do_it(one: Run) -> None:
    found = row(one, asked(differs="no link"))
    assert (found.verdict, found.differs) == (HOLDS, "no link")
    assert found.measured == f"one good {FAST} {BASELINE}"
    assert row(one, asked(), (3, INF)).verdict == WEAKER
    assert row(one, asked(), (1, 1)).verdict == REFUTED
    assert row(one, asked(tolerance=9.0), (1, 1)).verdict == UNDECIDED
    behind = row(one, asked(first=BASELINE, second=FAST))
    assert (behind.verdict, behind.why) == (REFUTED, "the second is faster")
    assert row(one, asked(ratio=(3.0, 9.0), said="3 times")).said == "3 times"


def test_a_mean_lies_between_its_tasks(one: Run) -> None:
    good, ugly = (row(one, asked(tasks=(task,))).ratio for task in ("good", "ugly"))
    both = row(one, asked(tasks=("good", "ugly"), mean=True))
    assert good and ugly and both.ratio  # noqa: PT018
    assert both.ratio.value == pytest.approx((good.value + ugly.value) / 2, abs=0.02)
    assert both.measured == f"one good+ugly {FAST} {BASELINE}"
    each = rows(article(asked(tasks=("good", "ugly"))), {"article": [one]})
    assert [str(found.ratio) for found in each] == [str(good), str(ugly)]


def test_a_contender_is_compared_with_itself_on_another_task(one: Run) -> None:
    found = row(one, asked(first=FAST, second="", tasks=("ugly:x24",), against="ugly"))
    assert found.ratio
    assert found.ratio.ratio == pytest.approx(24**0.12, rel=0.05)
    assert found.measured == f"tasks-ratio one ugly:x24 ugly {FAST}"


@pytest.mark.parametrize(
    "sides", [{"second": BASELINE}, {"second": "", "against": "ugly"}], ids=("pair", "itself")
)
def test_the_ratio_of_a_lower_bound_is_one(one: Run, sides: dict[str, str]) -> None:
    question = asked(first=BOUND, tasks=("ugly:x24",), **sides)
    found = row(one, question)
    assert found.bound
    assert found.ratio_text.startswith("≥ ")
    assert found.verdict == HOLDS
    assert found.why.startswith("the generator was saturated (the first); by CPU time")
    assert row(one, question, (1.5, 2)).verdict == HOLDS
    assert row(one, question, (99, INF)).verdict == UNDECIDED


def test_over_a_lower_bound_there_is_no_ratio(one: Run) -> None:
    found = row(one, asked(first=BASELINE, second=BOUND, tasks=("ugly:x24",)))
    assert (found.ratio, found.verdict, found.ratio_text) == (None, UNDECIDED, "–")
    assert found.why.startswith("the generator was saturated (the second); by CPU time 0.")


@pytest.mark.parametrize(
    ("question", "why"),
    [
        (asked(tasks=("bad",)), "bad was not raced in one"),
        (asked(first="pgx"), "pgx did not run on good in one"),
    ],
)
def test_what_was_not_raced_is_not_measured(one: Run, question: Question, why: str) -> None:
    found = row(one, question)
    assert (found.ratio, found.verdict, found.why) == (None, UNMEASURED, why)


@pytest.mark.parametrize(
    ("task", "measure", "words"),
    [
        ("good", "rate", f"rate one good {FAST}"),
        ("good", "latency p50", f"latency one good {FAST} p50"),
        ("good+ugly", "rate", f"rate one good+ugly {FAST}"),
    ],
)
def test_a_figure_of_one_is_shown_and_not_judged(
    one: Run, task: str, measure: str, words: str
) -> None:
    tasks = tuple(task.split("+"))
    question = asked(tasks=tasks, mean=len(tasks) > 1, second="", measure=measure)
    (found,) = rows(article(question), {"article": [one]})
    assert (found.verdict, found.why, found.measured) == (SHOWN, "", words)
    assert found.ratio_text == compute(shlex.split(words), lambda name: one) != "–"


def test_a_rate_that_something_else_bounds_says_so(one: Run) -> None:
    question = asked(tasks=("ugly:x24",), first=BOUND, second="", measure="rate")
    (found,) = rows(article(question), {"article": [one]})
    assert (found.verdict, found.why) == (SHOWN, "the generator was saturated (the first)")


def test_what_has_no_run_or_cannot_be_tested_is_not_measured() -> None:
    (found,) = rows(article(asked()), {})
    assert (found.verdict, found.why) == (UNMEASURED, "no run of article")
    assert found.measured == f"article good {FAST} {BASELINE}"
    claim = Claim(text="old", said="10 %", untested="no wheels")
    (found,) = rows(Article(title="T", source="S", conditions="C", claims=(claim,)), {})
    assert (found.verdict, found.why) == (UNMEASURED, "no wheels")


def test_who_failed_or_lacks_the_task_was_not_measured(one: Run) -> None:
    dead = changed_run(one, lambda cell: failed(cell) if cell.label == FAST else cell)
    for question in (asked(), asked(tasks=("good", "ugly"), mean=True)):
        found = row(dead, question)
        assert (found.ratio, found.verdict) == (None, UNMEASURED)
        assert found.why == f"{FAST} on Good in one: dead"
    lacks = changed_run(one, lambda cell: cell, unsupported={FAST: {"good": "it has no rows"}})
    found = row(lacks, asked())
    assert (found.verdict, found.why) == (UNMEASURED, f"{FAST} on Good: it has no rows")


def test_a_claim_that_somebody_fails_holds_where_it_does(one: Run) -> None:
    question = asked(second="", tasks=("ugly:x24",), against="ugly", fails=True)
    found = row(one, question)
    assert (found.verdict, found.why) == (REFUTED, "it does that: 6 of 6 cells count")
    assert found.ratio is not None
    dead = changed_run(one, lambda c: failed(c) if c.label == FAST and c.load.pipeline > 1 else c)
    assert (row(dead, question).verdict, row(dead, question).why) == (HOLDS, "dead")
    absent = row(one, asked(second="", tasks=("bad",), against="ugly", fails=True))
    assert absent.verdict == UNMEASURED


GOOD, BAD, BEHIND = asked(), asked(tasks=("bad",)), asked(first=BASELINE, second=FAST)


@pytest.mark.parametrize(
    ("questions", "verdict", "why"),
    [
        ((asked(tasks=("good", "ugly")),), HOLDS, "2 “holds”"),
        ((BAD,), UNMEASURED, ""),
        ((GOOD, BAD), UNDECIDED, "1 “holds”, 1 “not measured”"),
        ((GOOD, BAD, BEHIND), REFUTED, "1 “holds”, 1 “does not hold”, 1 “not measured”"),
    ],
)
def test_a_claim_of_all_its_rows_holds_where_all_do(
    one: Run, questions: tuple[Question, ...], verdict: str, why: str
) -> None:
    source = article(*questions, every=True)
    first, *others = rows(source, {"article": [one]})
    assert (first.whole, first.verdict, first.why) == (True, verdict, why)
    assert first.measured == f"all of {len(others)} row{'s' * (len(others) > 1)}"
    assert ClaimsPage.of([source], {"article": [one]}).summary.startswith(f"{len(others)} row")


US = {"quick": 500.0, "slow": 1000.0}


def fixed(saturated: Mapping[tuple[str, str], str | None]) -> Run:
    """A race of ten at once; `saturated` is who was saturated, where that was not the driver."""

    def cell(label: str, task: str, number: int) -> Cell:
        rate = 1e6 / (US[label] * (1 + 0.01 * number))
        limit = saturated.get((label, task), "driver")
        return records.driven(label, task, 10, round(rate), 1.0, round=number, saturated=limit)

    cells = [cell(label, task, n) for n in range(1, 9) for label in US for task in ("wide", "ints")]
    contenders = [records.contender(label, factors={"driver": label}) for label in US]
    head = records.head(
        *contenders, discipline=records.TOOLS, scenario={"name": "tools"}, finished_at=records.NOW
    )
    return Run.of(SavedRace(Path("t"), head, cells, []))


def of_fixed(run: Run, ratio: Range, *tasks: str, first: str = "quick") -> tuple[str, str]:
    (second,) = US.keys() - {first}
    question = Question(race="tools", tasks=tasks, first=first, second=second, mean=len(tasks) > 1)
    found = row(run, question, ratio)
    return found.verdict, found.why


def test_a_driver_that_was_not_the_limit_has_a_lower_bound() -> None:
    assert of_fixed(fixed({}), (3, INF), "wide:c10") == (WEAKER, "")
    run = fixed({("quick", "wide"): "database"})
    verdict, why = of_fixed(run, (3, INF), "wide:c10")
    assert verdict == UNDECIDED
    assert "the database was saturated (the first)" in why
    assert of_fixed(run, (1.5, INF), "wide:c10")[0] == HOLDS


def test_times_and_rows_of_several_tasks_are_geometric_means() -> None:
    def timed(cell: Cell) -> Cell:
        us = 1000.0 if cell.task == "wide" else 4000.0
        known = {"min": us / 2, "mean": us, "max": 2 * us, "deviation": us / 10}
        pairs = [(us, cell.count or 0)]
        return changed(cell, latency_us=known, histogram=pairs, facts={"rows": 10 * us})

    run = changed_run(fixed({}), timed)
    wide, both = (
        (compute(["times", "t", tasks, "quick"], lambda name: run))
        for tasks in ("wide:c10", "wide:c10+ints:c10")
    )
    assert wide.startswith("mean 1.00 ms (0.50 to 2.00), deviation 0.10 (10.0 %), p25 1.00, ")
    assert both.startswith("mean 2.00 ms (1.00 to 4.00), deviation 0.20 (10.0 %), p25 2.00, ")
    assert both.endswith(", p99.99 2.00")
    found = compute(["rows", "t", "wide:c10+ints:c10", "quick"], lambda name: run)
    assert re.fullmatch(r"38,\d{3},\d{3} rows/s \(1,9\d\d a second\)", found)


@pytest.mark.parametrize("typed", ["wide c10", "wide (10 at once)", "Wide rows, 10 at once"])
def test_a_task_can_be_typed_as_it_is_printed(typed: str) -> None:
    (found,) = comparisons([fixed({})], typed)
    assert found.work.task == "wide"


POOL, QUERY = "aiohttp-psycopg-pool, link 0 ms", "aiohttp-psycopg-query, link 0 ms"


@pytest.fixture(scope="module")
def users(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return Run.of(load(user_load.write(tmp_path_factory.mktemp("users") / "run")))


def of_users(run: Run, change: Callable[[Cell], Cell]) -> ClaimRow:
    question = Question(race="pool-shape", tasks=("reports:Steps",), first=POOL, second=QUERY)
    return row(changed_run(run, change), question)


@pytest.mark.parametrize(
    ("least", "most", "verdict"),
    [
        (1.035, 1.1, HOLDS),
        (1.025, 1.1, UNDECIDED),
        (1.02, 1.025, UNDECIDED),
        (0.99, 1.02, REFUTED),
        (0.9, 0.96, REFUTED),
    ],
)
def test_of_a_user_load_the_interval_decides(
    users: Run, least: float, most: float, verdict: str
) -> None:
    """Its low end must be beyond 3 %."""

    def counts(cell: Cell) -> Cell:
        factor = least if cell.round % 2 else most
        return changed(cell, count=round(10_000 * factor) if cell.label == POOL else 10_000)

    found = of_users(users, counts)
    assert found.verdict == verdict
    assert f"of the requests that went well alone {found.ratio}; " in found.why
    assert found.why.endswith("a user load ranks nobody: here the interval alone decides, by 3 %")


def test_who_did_not_keep_up_with_a_user_load_is_said(users: Run) -> None:
    def late(cell: Cell) -> Cell:
        if cell.label != QUERY:
            return cell
        errors = {"status": (cell.count or 0) // 4}
        return changed(cell, status="overloaded", reason="did not keep up", errors=errors)

    found = of_users(users, late)
    assert found.ratio is not None
    alone = of_users(users, lambda cell: cell).ratio
    assert alone is not None
    assert found.ratio.ratio == pytest.approx(alone.ratio / 1.25, rel=0.01)
    assert f"of the requests that went well alone {alone}; " in found.why
    assert "the second did not keep up in 6 of 6 cells: 19.9 % [" in found.why
    assert "the first" not in found.why


BY_HAND = "run one was not as its scenario: "


@pytest.mark.parametrize(
    ("given", "command", "why"),
    [
        ({"duration_s": 0.5, "connections": 16}, (), ""),
        ({"duration_s": 0.8}, ("--set", "rounds=3"), ""),
        ({}, ("--set", "render=prepared"), ""),  # of old runs nothing is known
        (
            {"duration_s": 0.25},
            (),
            "run one was shorter than its scenario: cells of 0.25 s in place of 0.5",
        ),
        ({"connections": 4}, (), f"{BY_HAND}4 connections in place of 16"),
        (
            {"duration_s": 0.5},
            ("--set", "render=prepared"),
            f"{BY_HAND}it set render=prepared",
        ),
    ],
)
def test_a_run_that_was_changed_by_hand_answers_no_claim(
    one: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    given: dict[str, Any],
    command: tuple[str, ...],
    why: str,
) -> None:
    monkeypatch.setattr(scenario, "SCENARIOS", tmp_path)
    (tmp_path / "article.toml").write_text("rounds = 9\n[load]\nduration_s = 0.5\n")
    head = {
        "scenario": {"name": "article", "load": given},
        "command": ["race", "run", "article", *command],
    }
    found = row(changed_run(one, lambda cell: cell, **head), asked())
    assert (found.why, found.verdict) == (why, UNMEASURED if why else HOLDS)


@pytest.mark.parametrize(("stages", "same"), [("25:8 0:5", True), ("25:2 0:1", False)])
def test_a_user_load_of_another_shape_answers_no_claim(
    users: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stages: str, same: bool
) -> None:
    monkeypatch.setattr(scenario, "SCENARIOS", tmp_path)
    text = '[load]\nshape = "Steps"\nshape_options = { steps_stages = "25:8 0:5" }\n'
    (tmp_path / "pool-shape.toml").write_text(text)
    given = {"shape": "Steps", "shape_options": {"steps_stages": stages}, "duration_s": 1.0}
    asks = {"name": "pool-shape", "load": given}
    found = scenario.unlike(changed_run(users, lambda cell: cell, scenario=asks))
    assert found == "" if same else "was not as its scenario: shape options" in found
