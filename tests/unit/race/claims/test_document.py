"""Claims of a document, and what the command says of a pair."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from msgspec.structs import replace as changed

from race.analysis.model import Analysis
from race.cli import main
from race.commands.claim import check, finder
from race.errors import RaceError
from race.report.claims.document import compute
from tests.support import records
from tests.support.synthetic import BASELINE
from tests.unit.race.claims.conftest import BOUND, FAST


def ask(results: Path, *words: str) -> str:
    return compute(words, finder(results, results))


def analysis(results: Path, name: str = "one") -> Analysis:
    return finder(results, results)(name).analysis


def problems(results: Path, text: str) -> list[str]:
    path = results / "text.md"
    path.write_text(text)
    return [one.problem for one in check(path, results) if one.problem]


def test_a_ratio_is_that_of_the_analysis(results: Path) -> None:
    good = next(one for one in analysis(results).comparisons if one.work.task == "good")
    fast = next(item for item in good.results if item.label == FAST)
    assert good.reference == BASELINE
    assert ask(results, "one", "good", FAST, BASELINE) == str(fast.ratio)
    assert ask(results, "cpu-ratio", "one", "good", FAST, BASELINE) == str(fast.cpu_ratio)
    assert ask(results, "verdict", "one", "good", FAST, BASELINE) == "faster"
    assert ask(results, "verdict", "one", "good", BASELINE, FAST) == "slower"
    assert ask(results, "verdict", "one", "good", f"{FAST}-uvloop", f"{FAST}-uvloop")


def test_noise_is_the_tasks_own(results: Path) -> None:
    """A task without a twin has no noise of its own, though it takes that of another task."""
    own = finder(results, results)("one").analysis.race
    cells = [c for c in own.cells if c.task != "ugly" or "(A/A)" not in c.label]
    records.write(results / "lent", changed(own.head, race="lent"), cells)
    lent = next(one for one in analysis(results, "lent").comparisons if one.work.task == "ugly")
    assert lent.noise is not None
    assert not lent.noise.measured_here
    assert ask(results, "noise", "lent", "ugly") == "–"
    assert ask(results, "noise", "lent", "good") != "–"


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (f"rank one good {BOUND}", "1"),
        (f"saturated one good {FAST}", "server"),
        (f"saturated one ugly:x24 {BOUND}", "generator"),
        (f"ratio one ugly:x24 {BOUND} {BASELINE}", "not ranked"),
        (f"ratio one good+ugly:x24 {BOUND} {BASELINE}", "not ranked"),
        (f"ratio one good+ugly {FAST} {BASELINE}", None),
        (f"least-ratio one ugly:x24 {BASELINE} {BOUND}", "not ranked"),
        (f"tasks-ratio one ugly good {FAST}", None),
        (f"fact one good {FAST} database_requests", "3"),
        (f"counted one good {FAST}", "6"),
        ("rounds one", "6"),
        ("rounds one+two", "6"),
        ("cells one+two invalid", "2"),
        ("connections one good", "100"),
        ("effect one ugly loop uvloop asyncio", None),
        ("margin one good", None),
        ("noise one good", None),
        ("controls one good", "–"),
        (f"rate one good {FAST}", None),
        (f"rows one good {FAST}", "–"),
        (f"times one good {FAST}", "–"),
        (f"watched one good {FAST} seconds", "–"),
        (f"busy one good {FAST}", "–"),
        (f"cpu one good {FAST} server", None),
        (f"latency one good:2000/s {FAST} p99", None),
    ],
)
def test_every_measure_has_a_text(results: Path, words: str, text: str | None) -> None:
    found = ask(results, *words.split())
    assert found
    assert text is None or found == text


def test_a_document_is_held_against_the_cells(results: Path) -> None:
    right = ask(results, "one", "good", FAST, BASELINE)
    claim = f"claim: one good {FAST} {BASELINE}"
    assert problems(results, f"It is {right} as fast <!-- {claim} -->.") == []
    assert problems(results, f"It is faster <!-- {claim} = {right} -->.") == []
    assert problems(results, f"It is faster <!-- {claim} = {right.replace('×', '')} -->.") == []
    (wrong,) = problems(results, f"It is faster <!-- {claim} = 9.99× [9.98, 9.99] -->.")
    assert wrong == f"it says 9.99× [9.98, 9.99], the saved cells say {right}"
    (wrong,) = problems(results, f"It is 9.99× [9.98, 9.99] as fast <!-- {claim} = {right} -->.")
    assert wrong == f"the sentence says 9.99× [9.98, 9.99], not {right}"
    (wrong,) = problems(results, f"It is {right} as fast.\n\nAnd so on <!-- {claim} -->.")[:1]
    assert wrong == f"the sentence before it does not say {right}"
    assert problems(results, "In 19 rounds, 9.6 of them <!-- claim: rounds one -->.")


def test_an_interval_without_a_claim_is_named(results: Path) -> None:
    right = ask(results, "one", "good", FAST, BASELINE)
    message = f"no claim stands behind {right}"
    assert problems(results, f"It is {right} as fast.") == [message]
    claim = f"<!-- claim: one good {FAST} {BASELINE} -->"
    assert problems(results, f"{right} {claim} and {right} too") == [message]
    assert problems(results, f"<!-- {right} -->") == []


def test_a_claim_that_cannot_be_asked_is_a_problem(results: Path) -> None:
    assert "did you mean 'good'" in problems(results, "<!-- claim: one goot a b -->")[0]
    assert "unknown race" in problems(results, "<!-- claim: nine good a b -->")[0]
    assert "takes TASK A B" in problems(results, "<!-- claim: one good a -->")[0]
    assert "names a run" in problems(results, "<!-- claim: margin -->")[0]
    with pytest.raises(RaceError, match="cannot read"):
        check(results / "nothing.md", results)


def test_the_command_answers_with_its_exit_status(
    results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["claim", "--results", str(results)]
    assert main([*options, "one", "two", "good", FAST, BASELINE]) == 0
    shown = capsys.readouterr().out
    claim = shown.splitlines()[-1]
    found = re.escape(claim.split(" = ")[1].removesuffix(" -->"))
    assert re.search(rf"^all 2 runs +{found} .* faster *$", shown, re.MULTILINE)
    assert re.search(rf"^one +{FAST} .* 6 +6 *$", shown, re.MULTILINE)
    assert re.search(rf"^ +{BASELINE} .* 6 +6 *$", shown, re.MULTILINE)
    assert main([*options, "ratio", "one+two", "good", FAST, BASELINE]) == 0
    assert capsys.readouterr().out == shown
    assert main([*options, "one", "two", "good+ugly", FAST, BASELINE]) == 0
    assert capsys.readouterr().out == ask(results, "one+two", "good+ugly", FAST, BASELINE) + "\n"
    assert main([*options, "rounds", "one+two"]) == 0
    assert capsys.readouterr().out == "6\n"
    assert main([*options, "--json", "rounds", "one"]) == 0
    assert json.loads(capsys.readouterr().out) == {"claim": "rounds one", "found": "6"}
    assert main([*options, "rounds", "nine"]) == 2
    assert "unknown race" in capsys.readouterr().err
    # A race that is called as a measure is: the number of words tells.
    (results / "noise").symlink_to(results / "one")
    assert main([*options, "noise", "good", FAST, BASELINE]) == 0
    assert "noise: A win must exceed" in capsys.readouterr().out
    assert main([*options, "margin", "one"]) == 2
    assert "'margin' takes TASK after the runs" in capsys.readouterr().err
    assert main([*options, "--json", "one", "good", FAST, BASELINE]) == 0
    assert json.loads(capsys.readouterr().out)["merged"]["winner"] == FAST
    path = results / "claims.md"
    path.write_text(f"So {claim}")
    assert main([*options, str(path)]) == 0
    path.write_text(f"So {claim.replace('= 1', '= 2')}")
    assert main([*options, str(path)]) == 1
    assert "1 claim, 1 not" in capsys.readouterr().out
    assert main([*options, "one", "good"]) == 2
    assert "measures are ratio, " in capsys.readouterr().err
