"""Locust's page answers requests by the address that was asked for."""

from __future__ import annotations

import socket

import pytest

from locustfiles.access import foreign

HERE = ("127.0.0.1",)
EVERYWHERE = ("",)
NAMED = ("", "https://load.example")


@pytest.mark.parametrize(
    ("asked", "host", "origin"),
    [
        (HERE, "127.0.0.1:8089", None),
        (HERE, "localhost:8089", "http://localhost:8089"),
        (("::1",), "[::1]:8089", "http://[::1]:8089"),
        (("10.0.0.5",), "10.0.0.5:8089", "http://10.0.0.5:8089"),
        (("load.example",), "load.example", "https://load.example"),
        (EVERYWHERE, "192.0.2.7:8089", None),
        (EVERYWHERE, f"{socket.gethostname()}:8089", None),
        (NAMED, "load.example", "https://load.example"),
    ],
)
def test_its_own(asked: tuple[str, ...], host: str, origin: str | None) -> None:
    assert foreign(asked, host, origin) is None


@pytest.mark.parametrize(
    ("asked", "host", "origin"),
    [
        (HERE, "", None),
        (HERE, "evil.example:8089", None),
        (HERE, "evil.example:8089", "http://evil.example:8089"),
        (HERE, "127.0.0.1.evil.example", None),
        (HERE, "[evil", None),
        (HERE, "127.0.0.1:8089", "http://evil.example"),
        (HERE, "127.0.0.1:8089", "http://127.0.0.1:1717"),
        (HERE, "127.0.0.1:8089", "null"),
        (EVERYWHERE, "evil.example:8089", None),
        (NAMED, "evil.example", "http://evil.example"),
    ],
)
def test_a_foreign_one(asked: tuple[str, ...], host: str, origin: str | None) -> None:
    said = foreign(asked, host, origin)
    assert said is not None
    assert "\n" not in said
