"""Bisecting a repository whose fourth commit is slow and whose third does not start, and with
`race` from the wheel one that knows nothing of this project.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from race.app.commits.checkouts import AUTHOR_ENV, git
from tests.live.race.app.test_app import SHOP, file
from tests.live.test_wheel import FAST, QUICKLY, SERVER, need_wrk, race, ran, wheel
from tests.support.race_lab import Race
from tests.support.site_server import environment

__all__ = ["race", "wheel"]

# A search starts servers of each commit, and races them.
SECONDS = 500.0
pytestmark = pytest.mark.timeout(SECONDS + 20)
SLOW = SHOP.replace('how == "slow"', "True")
TEXTS = (SHOP, f"{SHOP}# 1\n", "raise SystemExit('broken')", SLOW, f"{SLOW}# 2\n", f"{SLOW}# 3\n")

HELLO = f"""
discipline = "app"
serve = "{FAST}"
[[requests]]
name = "hello"
get = "/hello"
"""
COMMITS, SLOW_FROM = 12, 8
# As short as in the test of the wheel, but for the rounds, which a bisection chooses.
OPTIONS = ["--within", "7m", "--json", *QUICKLY[2:]]


def repository(folder: Path, texts: tuple[str, ...]) -> list[str]:
    """Make a repository with a commit for each text, and return the commits."""
    folder.mkdir()
    git(folder, "init", "--quiet", "--initial-branch", "main")
    path = Path(file(folder, "plain"))
    path.write_text(path.read_text().replace('plain = ""\nplain = "plain"', 'plain = ""'))
    for number, text in enumerate(texts):
        (folder / "shop.py").write_text(text)
        git(folder, "add", "shop.py")
        git(folder, "commit", "--quiet", "--message", f"change {number}", env=AUTHOR_ENV)
    return git(folder, "rev-list", "--reverse", "main").split()


def bisect(folder: Path, good: str, place: Path) -> tuple[int, dict[str, object], str]:
    words = ["bisect", good, "main", "--file", f"{folder}/race.toml", "--json"]
    env = {**environment(), "VAR_DIR": str(place / "var")}
    with Race([*words, "--request", "list", "--within", "20m"], place / "results", env) as race:
        status = race.process.wait(SECONDS)
        text = race.text()
    return status, json.loads(text[text.rindex('{"commit"') :]), text


def test_the_slow_commit_is_named(tmp_path: Path) -> None:
    commits = repository(tmp_path / "shop", (*TEXTS[:2], *TEXTS[3:]))
    status, found, text = bisect(tmp_path / "shop", commits[0][:12], tmp_path)
    assert (status, found["commit"]) == (0, commits[2][:12]), text
    assert "made list slower: +" in str(found["text"])


def test_where_its_parent_does_not_start_both_are_left(tmp_path: Path) -> None:
    commits = repository(tmp_path / "shop", TEXTS)
    status, found, text = bisect(tmp_path / "shop", commits[0][:12], tmp_path)
    assert (status, found["commit"]) == (3, None), text
    assert found["left"] == [one[:12] for one in commits[2:4]]


@pytest.fixture(scope="module")
def foreign(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with 12 commits, of which the eighth is slow."""
    folder = tmp_path_factory.mktemp("hello")
    git(folder, "init", "--quiet", "--initial-branch", "main")
    (folder / "race.toml").write_text(HELLO)
    text = SERVER
    for number in range(1, COMMITS + 1):
        if number == SLOW_FROM:
            text = text.replace("float(sys.argv[2])", "0.002")
        (folder / "hello.py").write_text(f"{text}# change {number}\n")
        git(folder, "add", ".")
        git(folder, "commit", "--quiet", "--message", f"change {number}", env=AUTHOR_ENV)
    return folder


@pytest.mark.xdist_group("wheel")
@pytest.mark.timeout(SECONDS + 100)  # it may build the wheel
@pytest.mark.parametrize(
    ("good", "bad", "status", "said"),
    [
        ("main~11", "main", 0, f"(change {SLOW_FROM}) made hello slower: +"),
        ("main~11", "main~5", 3, "No commit can be named."),
    ],
)
def test_the_slow_commit_is_named_and_of_equal_ones_none(
    race: Path, foreign: Path, good: str, bad: str, status: int, said: str
) -> None:
    need_wrk()
    done = ran(race, "bisect", good, bad, *OPTIONS, cwd=foreign, seconds=SECONDS)
    assert done.returncode == status, done.stderr + done.stdout
    assert said in json.loads(done.stdout)["text"]
    assert git(foreign, "status", "--porcelain").split() in ([], ["??", ".cache/"])
    assert len(git(foreign, "worktree", "list").splitlines()) == 1
