"""server.py's command line: each mistake is one line and status 2, before anything starts."""

from __future__ import annotations

import pytest

import server
from data_interface.timeouts import Timeouts as StoreTimeouts
from handlers import WEB
from handlers.engine import FORM, EngineError
from handlers.timeouts import Timeouts as SiteTimeouts
from runtime.timeouts import timeouts

ENGINE = "aiohttp-memory-one"


def refused(capsys: pytest.CaptureFixture[str], *options: str) -> str:
    """Return the only line of a command that is refused."""
    try:
        status: object = server.main(list(options))
    except SystemExit as ended:
        status = ended.code
    out, error = capsys.readouterr()
    (line,) = error.splitlines()
    assert (status, out) == (2, "")
    assert line.startswith("server.py: ")
    return line


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("aiohtp-tarantool-one", "did you mean 'aiohttp-tarantool-one'?"),
        ("aiohtp", "did you mean 'aiohttp'?"),
        ("japronto-postgre-pool-uvloop", "did you mean 'japronto-postgres-pool-uvloop'?"),
        ("sanic-memory-pool", "memory has the connection modes one, not 'pool'"),
        (
            "bottle-postgres-one",
            "there is no web framework 'bottle', only " + ", ".join(WEB),
        ),
        ("aiohttp-mysql-one", "there is no backend 'mysql', only memory"),
        ("", f"'': an engine is {FORM}"),
        ("uvloop", f"an engine is {FORM}"),
        ("aiohttp-tarantool-one-asyncio", f"an engine is {FORM}"),
    ],
)
def test_an_unknown_engine_is_wrong_use(
    name: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert said in refused(capsys, "-e", name)


def test_a_deadline_is_given_to_pages_and_requests(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STORE_TIMEOUTS", "close=1")
    monkeypatch.delenv("SITE_TIMEOUTS", raising=False)
    server.give(30.0)
    assert timeouts(StoreTimeouts, "STORE_TIMEOUTS")[:1] == (30.0,)
    assert timeouts(StoreTimeouts, "STORE_TIMEOUTS").close == 1
    assert timeouts(SiteTimeouts, "SITE_TIMEOUTS").request == 40
    monkeypatch.delenv("SITE_TIMEOUTS")
    for text in ("0", "-1", "601", "soon", "nan"):
        assert "is no time: 0.1 to 600 seconds" in refused(capsys, f"--deadline={text}")


def test_a_part_that_is_like_no_other_brings_no_suggestion(
    capsys: pytest.CaptureFixture[str],
) -> None:
    line = refused(capsys, "-e", "aiohttp-nothing-one")
    assert "there is no backend 'nothing', only " in line
    assert "did you mean" not in line


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("-e",), "expected one argument"),
        (("-p", "http"), "'http' is no port: 0 to 65535"),
        (("-p", "-1"), "-p/--port"),
        (("-p", "65536"), "'65536' is no port: 0 to 65535"),
        (("-l", "loud"), "invalid choice: 'loud': debug, info, warning, error, critical"),
        (("-l", "wraning"), "did you mean 'warning'?"),
        (("--workers", "0"), "1 to 64"),
        (("--workers", "65"), "1 to 64"),
        (("--workers", "many"), "1 to 64"),
        (("--render", "jinga"), "invalid choice: 'jinga': did you mean 'jinja'?"),
        (("--python", "3.6"), "3.7 and newer, not 3.6"),
        (("--python", "new"), "X.Y, as in 3.12"),
        (("--colour",), "unknown argument '--colour': see server.py --help"),
        (("--wrokers", "2"), "unknown argument '--wrokers': did you mean '--workers'?"),
        (("more",), "unknown argument 'more'"),
        (("--json",), "--json says how --list is printed"),
    ],
    ids=str,
)
def test_wrong_use_is_one_line_before_anything_starts(
    options: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert said in refused(capsys, "-e", ENGINE, *options)


@pytest.mark.parametrize("size", ["0", "-1", "many", "1001", "1.5"])
def test_a_wrong_pool_size_is_refused(size: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POOL_SIZE", size)
    with pytest.raises(EngineError, match=f"POOL_SIZE={size}: must be 1 to 1000"):
        server.pool_size()


@pytest.mark.parametrize("text", ["ünïcode", "a b", "a ", "\ta", "\n", "\x7f", "a" * 1000, ""])
def test_a_token_that_frameworks_would_change_or_that_can_be_guessed_is_refused(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SITE_TOKEN", "fifteen-letters" + text)
    with pytest.raises(EngineError, match="SITE_TOKEN must be 16 to 1000 printable ASCII"):
        server.token()


@pytest.mark.parametrize("text", ["a-Z.0_9~+/==xyz0", "!\"#%&'(),:;<>?@[]{}|", "a" * 1000])
def test_other_tokens_are_taken(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SITE_TOKEN", text)
    assert server.token() == text


def test_a_wrong_token_is_not_shown(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SITE_TOKEN", "sécret")
    assert "cret" not in refused(capsys, "-e", ENGINE)


def test_several_workers_with_a_site_each_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    line = refused(capsys, "-e", ENGINE, "-p", "0", "--workers", "2")
    assert "memory keeps the votes in the server's own process" in line
