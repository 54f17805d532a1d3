"""A database on a disk that is full for a while."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from chaos.faults import room
from chaos.lab import Lab, stored
from databases import find
from tests.conftest import absent


def test_a_database_without_room_takes_votes_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if missing := find("tarantool").missing():
        absent(missing)
    entry = next(one for one in stored() if one.database == "tarantool")
    monkeypatch.setattr(room, "SHORT_SECONDS", 60)
    lab = Lab(tmp_path, short=True, seed=11, say=lambda line: None)
    try:
        seen = room.within_disk(lab, entry, "tarantool")
    except OSError as error:
        pytest.skip(str(error))
    finally:
        lab.close()
    assert seen.complaints == []
    assert seen.votes is not None
    assert seen.votes.acknowledged > room.MOST_VOTES
    assert len(seen.recovery) == 1
    # What it could not write was not acknowledged.
    assert seen.votes.undecided > 0
    assert "none refused" not in seen.text
    mounted = subprocess.run(["mount"], capture_output=True, text=True, check=True).stdout
    assert str(tmp_path) not in mounted
