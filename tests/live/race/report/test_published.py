"""The published races and the reports beside them."""

from __future__ import annotations

import pytest

from race.cli import main
from race.paths import PUBLISHED
from race.saved.reader import load


@pytest.mark.parametrize("run", sorted(path.parent.name for path in PUBLISHED.glob("*/run.json")))
def test_a_published_race_is_read_and_its_readme_is_its_report(
    run: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """If this fails, write `race report docs/results/RUN --markdown` into the README.md."""
    folder = PUBLISHED / run
    assert load(folder).problems == []
    assert main(["report", str(folder), "--markdown"]) == 0
    assert capsys.readouterr().out == (folder / "README.md").read_text()
