"""Bisecting a repository that knows nothing of this project, with `race` from the wheel."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from race.app.commits.checkouts import AUTHOR_ENV, git
from tests.live.test_wheel import FAST, QUICKLY, SERVER, need_wrk, race, ran, wheel

__all__ = ["race", "wheel"]

SECONDS = 600.0
pytestmark = [pytest.mark.timeout(SECONDS + 100), pytest.mark.xdist_group("wheel")]
FILE = f"""
discipline = "app"
serve = "{FAST}"
[[requests]]
name = "hello"
get = "/hello"
"""
COMMITS, SLOW = 12, 8
# As short as in the test of the wheel, but for the rounds, which a bisection chooses.
OPTIONS = ["--within", "8m", "--json", *QUICKLY[2:]]


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with 12 commits, of which the eighth is slow."""
    folder = tmp_path_factory.mktemp("hello")
    git(folder, "init", "--quiet", "--initial-branch", "main")
    (folder / "race.toml").write_text(FILE)
    text = SERVER
    for number in range(1, COMMITS + 1):
        if number == SLOW:
            text = text.replace("float(sys.argv[2])", "0.002")
        (folder / "hello.py").write_text(f"{text}# change {number}\n")
        git(folder, "add", ".")
        git(folder, "commit", "--quiet", "--message", f"change {number}", env=AUTHOR_ENV)
    return folder


@pytest.mark.parametrize(
    ("good", "bad", "status", "said"),
    [
        ("main~11", "main", 0, f"(change {SLOW}) made hello slower: +"),
        ("main~11", "main~5", 3, "No commit can be named."),
    ],
)
def test_the_slow_commit_is_named_and_of_equal_ones_none(
    race: Path, repository: Path, good: str, bad: str, status: int, said: str
) -> None:
    need_wrk()
    done = ran(race, "bisect", good, bad, *OPTIONS, cwd=repository, seconds=SECONDS)
    assert done.returncode == status, done.stderr + done.stdout
    assert said in json.loads(done.stdout)["text"]
    assert git(repository, "status", "--porcelain").split() in ([], ["??", ".cache/"])
    assert len(git(repository, "worktree", "list").splitlines()) == 1
