"""What the documents say is what the saved cells say."""

from __future__ import annotations

from pathlib import Path

import pytest

from race.commands.claim import check
from race.paths import PUBLISHED, RESULTS
from runtime.paths import ROOT

DOCUMENTS = [ROOT / "README.md", ROOT / "docs" / "tuning.md", *sorted(PUBLISHED.glob("*.md"))]


@pytest.mark.parametrize(
    "path", [path for path in DOCUMENTS if path.exists()], ids=lambda path: path.name
)
def test_every_sentence_with_an_interval_is_recomputed(path: Path) -> None:
    """By hand: `race claim FILE.md`."""
    wrong = [one for one in check(path, RESULTS) if one.problem]
    assert [f"line {one.claim.line}: {one.problem}" for one in wrong] == []


def test_the_published_results_make_claims() -> None:
    assert len(check(PUBLISHED / "README.md", RESULTS)) >= 10
