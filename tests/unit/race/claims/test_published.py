"""The documents of the project say what its published cells say."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from race.analysis.pairing import Run
from race.cli import main
from race.commands import articles as command
from race.discipline import discipline
from race.paths import CLAIMS, PUBLISHED, SCENARIOS
from race.plan import read
from race.plan.contenders import matching
from race.plan.works import closed_works
from race.report.claims import article
from race.report.claims.document import check_document, claims, compute
from race.report.claims.measures import MEASURES, measure
from race.report.claims.page import ClaimsPage, markdown
from race.report.claims.pairs import task_word
from race.report.claims.verdicts import UNMEASURED
from race.saved.reader import read_head
from race.scenario import Scenario
from runtime.paths import ROOT
from toolbench.contenders import CONTENDER, raced, unsupported
from toolbench.drivers import DRIVERS
from toolbench.scenario import ToolsScenario

pytestmark = pytest.mark.xdist_group("published")  # each run is analysed once, in one worker
FindRun = Callable[[str], Run]
DOCUMENTS = [ROOT / "README.md", ROOT / "docs" / "tuning.md", *sorted(PUBLISHED.glob("*.md"))]
each_document = pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
ARTICLES = article.read(CLAIMS)
QUESTIONS = [one for each in ARTICLES for claim in each.claims for one in claim.here]


@each_document
def test_every_sentence_with_an_interval_is_recomputed(path: Path, published: FindRun) -> None:
    """The command `race claim FILE.md` says the same."""
    found = check_document(path.read_text(encoding="utf-8"), published)
    wrong = [one for one in found if one.problem]
    assert [f"line {one.claim.line}: {one.problem}" for one in wrong] == []
    assert len(found) >= 10 or path != PUBLISHED / "README.md"


def test_the_commands_of_the_results_recompute_them(
    published: FindRun, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("race.commands.claim.finder", lambda *_, **__: published)
    text = (PUBLISHED / "README.md").read_text(encoding="utf-8")
    found = re.findall(r"^\.venv/bin/race (claim [^#\n]+)", text, re.MULTILINE)
    assert len(found) == 3
    for words in found:
        assert main(shlex.split(words)) == 0, words
        assert capsys.readouterr().out


@each_document
def test_a_ratio_without_a_winner_is_marked(path: Path, published: FindRun) -> None:
    """A † stands behind it, which the document explains, and behind no other."""
    wrong = []
    for claim in claims(path.read_text(encoding="utf-8")):
        words = shlex.split(claim.body)
        if words[0] in MEASURES and words[0] != "ratio":
            continue
        names, *pair = words[words[0] == "ratio" :]
        verdict = measure("verdict", [published(name) for name in names.split("+")], pair)
        if (verdict not in ("faster", "slower")) != claim.said.endswith("†"):
            wrong.append(f"line {claim.line}: {claim.body}")
    assert wrong == []


@pytest.fixture(scope="module")
def page(published: FindRun) -> ClaimsPage:
    runs: dict[str, list[Run]] = {}
    for folder, name in command.scenarios(command.published()).items():
        if name in article.scenarios(ARTICLES):
            runs.setdefault(name, []).append(published(folder.name))
    return ClaimsPage.of(ARTICLES, runs)


def test_the_words_of_each_row_find_its_ratio(page: ClaimsPage, published: FindRun) -> None:
    """A mistyped task or contender would be "not measured" for good."""
    found = [row for one in page.articles for row in one.rows if row.first]
    assert len(found) >= 90
    for row in found:
        assert row.verdict != UNMEASURED, (row.measured, row.why)
        if row.ratio is not None:
            assert compute(shlex.split(row.measured), published) == row.ratio_text


def test_the_document_is_what_the_command_makes(page: ClaimsPage) -> None:
    """The command `race articles -o docs/claims.md` writes it."""
    assert (PUBLISHED.parent / "claims.md").read_text(encoding="utf-8") == markdown(page)


@pytest.mark.parametrize("race", sorted({one.race for one in QUESTIONS}))
def test_a_claim_is_of_what_its_scenario_races(race: str) -> None:
    """Otherwise hours of a race would pass before somebody sees that nothing answers it."""
    assert race in read.names(), f"{SCENARIOS} has no {race}"
    scenario = read.load(race)
    works = closed_works(scenario, discipline(scenario.discipline).tasks(scenario))
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
            one.label: set(unsupported(scenario, name))
            for name in matching(scenario, DRIVERS, CONTENDER)
            for one in raced(scenario, name)
        }
    heads = map(read_head, command.published())
    mine = [head for head in heads if head.scenario.get("name") == scenario.name]
    return {one.label: set() for head in mine for one in head.contenders}
