"""A server of the site on another machine, for which an sshd of the test's own stands.

The checkout there is this one. A whole race with a server there is in tests/long.
"""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import psutil
import pytest
from msgspec import structs

from databases import find
from race.errors import CellFailed, RaceError
from race.machine.remote.host import SSH
from race.saved.model import Contender
from race.web import engines, pages
from race.web.databases import held
from race.web.hosts import Elsewhere, away, checkout
from race.web.hosts.checkout import ServerHost
from race.web.scenario import Hosts, SiteScenario
from race.web.servers import Launcher
from runtime.paths import ROOT
from tests.support import sshd
from tests.support.site_server import until
from tests.support.sshd import THERE, Sshd, cut

ENGINE = "aiohttp-memory-one"
HOLDS = """
import sys, time
from race.web.hosts import Elsewhere
from race.web.scenario import Hosts, SiteScenario
hosts = Hosts(server=sys.argv[1])
far = SiteScenario(name="x", title="X", contenders=("x",), tasks=("ugly",), hosts=hosts)
words = ["-e", "aiohttp-memory-one", "-p", "0"]
print(Elsewhere(far, []).server.start(words, frozenset(), {}).pid, flush=True)
time.sleep(60)
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sshd]:
    with sshd.running(tmp_path_factory.mktemp("sshd")) as found:
        yield found


@pytest.fixture(autouse=True)
def its_ssh(server: Sshd, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SSH, server.command)


def far(root: str = str(ROOT), engine: str = ENGINE) -> SiteScenario:
    return SiteScenario(
        name="far",
        title="Far away",
        contenders=(engine,),
        tasks=("good",),
        hosts=Hosts(server=f"{THERE}:{root}"),
    )


@pytest.fixture
def elsewhere() -> Iterator[Elsewhere]:
    with closing(Elsewhere(far(), [])) as found:
        yield found


def there(elsewhere: Elsewhere) -> ServerHost:
    assert elsewhere.server is not None
    return elsewhere.server


def test_it_is_started_metered_and_pinned_there(elsewhere: Elsewhere) -> None:
    host = there(elsewhere)
    (contender,) = engines.choose(far()).contenders
    server = Launcher(far(), elsewhere.address, host).start(contender, host.cores_of(1))
    process = psutil.Process(server.child.pid)
    pages.verify(server.url, "good")
    machine = host.machine(server.url, host.host)
    assert machine.read_tree("used_ns", server.child.pid) > 0
    assert machine.read_tree("peak_bytes", server.child.pid) > 1_000_000
    assert machine.network()["round_trip"] > 0
    assert set(process.cpu_affinity() or []) == host.cores_of(1)
    host.pin(server.child.pid, host.cores_of(1), active=False)
    assert set(process.cpu_affinity() or []) != host.cores_of(1)
    found = host.described().interpreter
    assert found is not None
    assert "aiohttp" in found.packages
    server.child.end()
    assert not process.is_running()


def test_a_server_that_does_not_start_is_one_line(elsewhere: Elsewhere) -> None:
    contender = Contender(label="x", name="aiohttp-nothing-one", factors={})
    with pytest.raises(CellFailed, match=r"^server ended with code \d \(.*nothing"):
        Launcher(far(), elsewhere.address, elsewhere.server).start(contender, frozenset())


def test_one_that_cannot_be_reached_is_one_line_and_ends(
    elsewhere: Elsewhere, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*words: object) -> None:
        raise CellFailed("timed out")

    host = there(elsewhere)
    monkeypatch.setattr(host, "_dial", refused)
    contender = Contender(label="x", name=ENGINE, factors={})
    with pytest.raises(
        CellFailed, match=r"^this machine cannot reach the server at \S+ \(timed out\): does"
    ):
        Launcher(far(), elsewhere.address, host).start(contender, frozenset())
    assert not host.host.output(["pgrep", "-f", f"{ENGINE} -p 0 --host"]).text


def test_a_lost_machine_is_one_line(elsewhere: Elsewhere) -> None:
    host = there(elsewhere)
    child = host.start(["-e", ENGINE, "-p", "0"], frozenset(), {})
    assert child.read_line(30.0)
    process = psutil.Process(child.pid)
    cut(THERE)
    until(lambda: not child.running(), 10.0, "nobody noticed")
    with pytest.raises(CellFailed, match=r"^the connection to there was lost: killed by SIGKILL"):
        child.last_words()
    until(lambda: not process.is_running(), 10.0, "it outlived the connection")
    assert host.connected().ask("clock") > 0


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_it_does_not_outlive_the_harness(number: signal.Signals) -> None:
    words = [sys.executable, "-c", HOLDS, f"{THERE}:{ROOT}"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, cwd=ROOT, text=True) as process:
        assert process.stdout is not None
        found = psutil.Process(int(process.stdout.readline()))
        process.send_signal(number)
    until(lambda: not found.is_running(), 10.0, "it outlived the harness")


def test_engines_whose_database_is_missing_here_are_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert away.missing_here("mysql") == find("mysql").missing()
    monkeypatch.setattr(engines, "missing_here", lambda name: f"no {name} here")
    scenario = structs.replace(far(), contenders=(ENGINE, "aiohttp-tarantool-one"))
    choice = engines.choose(scenario)
    assert [one.name for one in choice.contenders] == [ENGINE]
    assert choice.left_out == ["aiohttp-tarantool-one: no tarantool here"]
    near = structs.replace(scenario, hosts=Hosts(server=f"{THERE}:{ROOT}", database="also"))
    assert len(engines.choose(near).contenders) == 2


def test_behind_nat_databases_here_are_refused_and_engines_without_one_race() -> None:
    hosts = Hosts(server=f"{THERE}:{ROOT}", address="192.0.2.1")
    scenario = structs.replace(far(), hosts=hosts)
    with closing(Elsewhere(scenario, [])) as found:
        assert there(found).address_here() is None
    with pytest.raises(RaceError, match=r"^there sees this machine at 192\.0\.2\.1, which is not"):
        Elsewhere(scenario, ["tarantool"])


def test_databases_here_listen_where_the_server_reaches_them() -> None:
    with closing(Elsewhere(far(), ["tarantool"])) as found:
        assert there(found).described().databases_at == "127.0.0.1"
        with held(["tarantool"], found.away) as databases:
            one = databases.party("tarantool", frozenset([0]))
            assert (one.machine, one.cores) == (None, frozenset([0]))
            process = psutil.Process(databases.pid("tarantool"))
            assert "127.0.0.1" in databases.env("tarantool")["TARANTOOL_URL"]
        assert not process.is_running()


@pytest.mark.parametrize(
    ("question", "answer", "said"),
    [
        (
            checkout.COMMIT,
            "0123456789abcdef",
            r"there has commit \w{12} in /\S+, and this is 0123456789ab: check",
        ),
        (
            checkout.CHANGES,
            "another line",
            r"files in /\S+ on there differ from those here: commit",
        ),
        (
            checkout.UNTRACKED,
            "handlers/new.py\n",
            r"handlers/new\.py on this machine is not in git,",
        ),
    ],
)
def test_another_commit_is_one_line(
    monkeypatch: pytest.MonkeyPatch, question: tuple[str, ...], answer: str, said: str
) -> None:
    real = checkout._git

    def changed(*words: str) -> str:
        return answer if words == question else real(*words)

    monkeypatch.setattr(checkout, "_git", changed)
    with pytest.raises(RaceError, match=f"^{said}"):
        Elsewhere(far(), [])


def test_no_environment_and_no_checkout_are_one_line(tmp_path: Path) -> None:
    with pytest.raises(RaceError, match=r"^there has no /\S+/\.venv/bin/python: `make env` in the"):
        Elsewhere(far(str(tmp_path)), [])
    (tmp_path / ".venv").symlink_to(Path(sys.prefix))
    with pytest.raises(RaceError, match=r"^there has no checkout in /\S+ \(fatal: not a git"):
        Elsewhere(far(str(tmp_path)), [])
