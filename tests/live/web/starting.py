"""Starts the programs of a scenario, as a race does."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping

from race.web import engines
from race.web.scenario import SiteScenario
from race.web.servers import Launcher, Server
from tests.conftest import absent


@contextlib.contextmanager
def starting(
    scenario: SiteScenario, environment: Mapping[str, str]
) -> Iterator[Callable[..., Server]]:
    """Give a function that starts a contender by name; all that it started end with the block."""
    known = {one.name: one for one in engines.choose(scenario).contenders}
    with contextlib.ExitStack() as stack:

        def started(name: str, env: Mapping[str, str] = environment) -> Server:
            if name not in known:
                absent(f"{name} cannot run here")
            server = Launcher(scenario).start(known[name], frozenset(), env)
            stack.callback(server.child.end)
            return server

        yield started
