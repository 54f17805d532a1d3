"""Where a checkout and a wheel write, and how what they lack is installed."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from runtime import paths
from runtime.paths import ROOT, extra, install, make, system, var


def test_a_checkout_has_its_own_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("VAR_DIR", raising=False)
    assert var() == ROOT / "var"
    assert (extra("site"), make("drivers")) == ("make env", "make drivers")
    assert install("a-package>=1") == "make env"
    assert system("tarantool") == "make system, or apt-get install tarantool"
    monkeypatch.setenv("VAR_DIR", str(tmp_path))
    assert var() == tmp_path


def test_a_wheel_writes_into_the_users_cache(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(paths, "INSTALLED", True)
    monkeypatch.delenv("VAR_DIR", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    assert var() == tmp_path / ".cache" / "python-loop-races"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "other"))
    assert var() == tmp_path / "other" / "python-loop-races"
    assert make("drivers") == "make drivers in a checkout of this project"
    assert make("oha", "cargo install oha") == "cargo install oha"
    assert system("tarantool") == "apt-get install tarantool"


@pytest.mark.parametrize(
    ("record", "origin"),
    [
        (None, ""),
        ({"url": "file:///race.whl", "archive_info": {}}, " @ file:///race.whl"),
        ({"url": "https://a.b/c", "vcs_info": {"vcs": "git"}}, " @ git+https://a.b/c"),
    ],
)
def test_an_extra_comes_from_where_the_wheel_came_from(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, record: object, origin: str
) -> None:
    monkeypatch.setattr(paths, "INSTALLED", True)
    monkeypatch.syspath_prepend(tmp_path)
    metadata = tmp_path / "python_loop_races-1.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Name: python-loop-races\n")
    if record:
        (metadata / "direct_url.json").write_text(json.dumps(record))
    assert extra("site") == f"{sys.executable} -m pip install 'python-loop-races[site]{origin}'"
    monkeypatch.setattr(paths, "find_spec", lambda _name: None)
    uv = f"uv pip install --python {sys.executable}"
    assert install("a-package>=1") == f"{uv} 'a-package>=1'"
    assert extra("site") == f"{uv} 'python-loop-races[site]{origin}'"
