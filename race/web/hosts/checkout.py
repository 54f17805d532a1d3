"""The site's server on another machine, which has a checkout of the same commit."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from contextlib import closing
from functools import partial
from urllib.parse import urlsplit

import msgspec

from databases import DATABASES, find
from race.errors import CellFailed, RaceError
from race.machine import cores
from race.machine.describe import PACKAGES
from race.machine.remote.host import Host, RemoteChild
from race.saved.head import Interpreter, OtherMachine
from race.timeouts import TIMEOUTS
from race.web.hosts.party import Dial, FarMachine, PartyHost
from race.web.scenario import SERVER, SiteScenario
from runtime.paths import ROOT
from runtime.versions import minor

PROGRAM = "server.py"
INTERPRETER = ".venv/bin/python"
COMMIT = ("rev-parse", "HEAD")
# Settings of git would change the text of the same changes. The hashes of --full-index stand for
# binary files.
PLAIN = ("--no-ext-diff", "--no-textconv", "--no-color", "--no-renames", "--unified=0")
CHANGES = ("diff", *PLAIN, "--full-index", "--src-prefix=a/", "--dst-prefix=b/", "HEAD")
SERVED = ("data_interface", "databases", "handlers", "runtime", "static", "tarantool", "templates")
"""The folders of which a server is made."""
UNTRACKED = ("ls-files", "--others", "--exclude-standard", "--", *SERVED)
LETTERS = 12


class ServerHost(PartyHost):
    """The machine of the server, given as `HOST:CHECKOUT`.

    `dial` connects from the generator's machine, whose name is `who`.
    """

    party = SERVER

    def __init__(self, scenario: SiteScenario, dial: Dial, who: str) -> None:
        self._dial, self._who = dial, who
        self.root = (scenario.hosts.server or "").partition(":")[2].rstrip("/")
        super().__init__(scenario)

    def connect(self) -> Host:
        return _host(self.scenario.hosts.given[SERVER])

    @property
    def python(self) -> str:
        """The version of the current environment there, as "3.13"."""
        return minor(self.host.facts["python"])

    def set_up(self) -> None:
        self.address = self.their_address()
        _same_commit(self.host, self.root)

    def described(self) -> OtherMachine:
        said = self.host.output([self.host.python, "-c", PACKAGES]).text
        found = msgspec.json.decode(said, type=Interpreter)
        return msgspec.structs.replace(super().described(), interpreter=found)

    @property
    def cores(self) -> frozenset[int]:
        """The cores of the server that runs the most processes."""
        return self.cores_of(max(map(int, self.scenario.workers)))

    def cores_of(self, workers: int) -> frozenset[int]:
        """Return the cores of a server with so many processes."""
        there: list[int] = self.host.facts["cores"]
        return cores.assign([SERVER], workers, there, self.scenario.cores)[SERVER]

    def start(
        self, words: Sequence[str], pinned: frozenset[int], env: Mapping[str, str]
    ) -> RemoteChild:
        """Start a server there."""
        host = self.connected()
        return host.start([host.python, f"{self.root}/{PROGRAM}", *words], pinned, env=env)

    def reached(self, url: str) -> None:
        """Raise CellFailed if the generator's machine cannot reach a server."""
        server = urlsplit(url)
        try:
            self._dial(server.hostname or "", server.port or 0, 1)
        except CellFailed as failure:
            raise CellFailed(
                f"{self._who} cannot reach the server at {server.netloc} ({failure}): "
                f"does the firewall of {self.name} let {self._who} in?"
            ) from None

    def pin(self, pid: int, pinned: frozenset[int], active: bool) -> None:
        """Pin a server to its cores, or while another one is active to those that are left."""
        there = frozenset(self.host.facts["cores"])
        if wanted := pinned if active else pinned and there - pinned:
            self.host.ask("pin", pid, sorted(wanted))

    def machine(self, url: str, host: Host) -> FarMachine:
        """Return the machine for the meters, with the server at a URL."""
        server = urlsplit(url)
        dial = None if self.scenario.hosts.generator else self._dial
        address = server.hostname or "", server.port or 0
        return FarMachine(self.name, lambda: host, partial(self.delays, host, dial, address))


def listing(given: str) -> str:
    """Return what `server.py --list --json` prints on a machine, where no database is missing.

    RaceError if it cannot be asked.
    """
    elsewhere = [f"{find(name).url_variable}=elsewhere" for name in DATABASES]
    with closing(_host(given)) as host:
        root = given.partition(":")[2]
        words = ["env", *elsewhere, host.python, f"{root}/{PROGRAM}", "--list", "--json"]
        try:
            _same_commit(host, root)
            found = host.output(words, TIMEOUTS.engines)
        except CellFailed as failure:
            raise RaceError(str(failure)) from None
    return found.text if found.code == 0 else found.complaint


def _host(given: str) -> Host:
    name, _, root = given.partition(":")
    remedy = f"`make env` in the checkout {root} on {{}} makes it"
    return Host(f"{name}:{root}/{INTERPRETER}", remedy)


def _same_commit(host: Host, root: str) -> None:
    """RaceError if a checkout there has another commit than this one, or other changes."""
    here, there = _git(*COMMIT), _git_there(host, root, *COMMIT)
    if here != there:
        raise RaceError(
            f"{host.name} has commit {there[:LETTERS]} in {root}, and this is {here[:LETTERS]}: "
            "check that out there, and run `make env`"
        )
    if _git(*CHANGES) != _git_there(host, root, *CHANGES):
        raise RaceError(
            f"files in {root} on {host.name} differ from those here: commit the changes, and "
            "check that commit out there"
        )
    here, there = _git(*UNTRACKED), _git_there(host, root, *UNTRACKED)
    if here or there:
        raise RaceError(
            f"{(here or there).splitlines()[0]} on {'this machine' if here else host.name} is not "
            "in git, so it cannot be compared: commit it, or remove it"
        )


def _git_there(host: Host, root: str, *words: str) -> str:
    found = host.output(["git", "-C", root, *words])
    if found.code:
        why = found.complaint.partition("\n")[0]
        raise RaceError(f"{host.name} has no checkout in {root} ({why})")
    return found.text


def _git(*words: str) -> str:
    try:
        done = subprocess.run(
            ["git", "-C", str(ROOT), *words],
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=TIMEOUTS.program,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        raise RaceError("--server takes a checkout here too: git knows no commit of it") from None
    return done.stdout.strip()
