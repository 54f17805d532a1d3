"""An interpreter describes its own build."""

from __future__ import annotations

import sys
import sysconfig

import pytest

from runtime import build


@pytest.mark.parametrize(
    ("flags", "prefix", "known"),
    [
        ("'--prefix=/x' '--enable-optimizations' '--with-lto=full'", "/opt/python", (True, True)),
        ("'--enable-optimizations'", "/opt/python", (True, False)),
        ("'--enable-shared' 'CC=gcc -pthread'", "/opt/python", (False, False)),
        ("'--enable-shared'", "/usr", (None, None)),  # Debian's are optimised by other means
        (None, "/opt/python", (False, False)),
    ],
)
def test_flags_say_how_it_is_optimised(
    flags: str | None,
    prefix: str,
    known: tuple[bool | None, bool | None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sysconfig, "get_config_var", {"CONFIG_ARGS": flags}.get)
    monkeypatch.setattr(sys, "base_prefix", prefix)
    monkeypatch.setattr(build, "REPEATS", 1)
    found = build.describe()
    assert (found["pgo"], found["lto"]) == known
    assert not any("/" in flag for flag in found["flags"])
    assert found["loop_us"] > 0
