"""Two commits of an application: the slower one is found, and the repository stays as it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from race.app.commits.checkouts import AUTHOR_ENV, git
from tests.live.race.app.test_app import SHOP, cpu_us, file
from tests.support.race_lab import Race
from tests.support.site_server import environment


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository of the shop with two commits: the second one is slow."""
    folder = tmp_path / "shop"
    folder.mkdir()
    git(folder, "init", "--quiet", "--initial-branch", "main")
    for text in (SHOP, SHOP.replace('how == "slow"', "True")):
        (folder / "shop.py").write_text(text)
        git(folder, "add", "--all")
        git(folder, "commit", "--quiet", "--message", "change", env=AUTHOR_ENV)
    return folder


def test_the_commit_that_made_it_slower_is_found(repository: Path, tmp_path: Path) -> None:
    path = Path(file(repository, "plain"))
    path.write_text(path.read_text().replace('plain = ""\nplain = "plain"', 'plain = ""'))
    env = {**environment(), "VAR_DIR": str(tmp_path / "var")}
    words = ["commits", "main~1", "main", "--file", str(path), "--requests", "list"]
    with Race(words, tmp_path / "results", env) as race:
        assert race.wait() == 0, race.text()
        saved = race.saved_race()
    assert {cell.label for cell in saved.cells} == {
        "main~1-plain",
        "main~1-plain (A/A)",
        "main-plain",
        "main-plain (A/A)",
    }
    assert cpu_us(saved, "main-plain", "list") > cpu_us(saved, "main~1-plain", "list") + 400
    commits = saved.head.scenario["commits"]
    assert commits["main"] == git(repository, "rev-parse", "main")
    assert git(repository, "status", "--porcelain") == "?? race.toml"
    assert list((tmp_path / "var" / "checkouts").iterdir()) == []
