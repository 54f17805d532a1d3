"""The gate's answer to a slow commit; tests/live has it through the script of the workflow."""

from __future__ import annotations

import re
from pathlib import Path

from tests.live.race.app.test_app import file
from tests.live.race.app.test_commits import repository
from tests.support.race_lab import Race
from tests.support.site_server import environment

__all__ = ["repository"]


def test_the_gate_is_closed_for_the_slow_commit(repository: Path, tmp_path: Path) -> None:
    path = Path(file(repository, "plain"))
    path.write_text(path.read_text().replace('plain = ""\nplain = "plain"', 'plain = ""'))
    env, found = {**environment(), "VAR_DIR": str(tmp_path / "var")}, tmp_path / "gate.xml"
    words = ["gate", "main~1", "main", "--file", str(path), "--requests", "list", "--rounds", "6"]
    with Race(
        [*words, "--slower", "20%", "--junit", str(found)], tmp_path / "results", env
    ) as race:
        assert race.wait() == 1, race.text()
        # The measure with the largest slowdown comes first.
        said = r"main-plain is slower than main~1-plain on (list|p99 of list[^(]*) \(\+"
        assert re.search(said, race.text())
    assert '<testcase name="list"><failure message="slower: +' in found.read_text()
    with Race([*words[:3], "--within", "1s", *words[3:]], tmp_path / "results", env) as race:
        assert race.wait() == 2
        # The second measure, p99, is there where vegeta is.
        said = "1 s are too short: [56] rounds are needed for [12] measures?, and 0 fit"
        assert re.search(said, race.text())
