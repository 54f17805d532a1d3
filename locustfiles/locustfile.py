"""The one file for Locust: `locust -f locustfiles/locustfile.py`, from the project's folder.

`make locust` starts the site and Locust with it (docs/locust.md).
"""

from __future__ import annotations

from typing import Any

from locust import events
from locust.runners import WorkerRunner

from locustfiles.run import arguments
from locustfiles.run.planned import shape_class
from locustfiles.run.session import LocustSession
from locustfiles.run.signals import handle_sigint, handle_sigterm
from locustfiles.shapes import SHAPES
from locustfiles.users import USERS

# Locust looks for users and shapes among the names of this module.
globals().update(USERS)
globals().update({name: shape_class(name, kind) for name, kind in SHAPES.items()})

_sessions: list[LocustSession] = []


def begin(environment: Any, **_: Any) -> None:
    """Start a session, except in a worker, which only does what its master says."""
    handle_sigint()
    if not isinstance(environment.runner, WorkerRunner):
        session = LocustSession(environment)
        _sessions.append(session)
        if environment.parsed_options.headless and environment.shape_class:
            handle_sigterm(session)


def end(**_: Any) -> None:
    """Write the last reports. Locust calls listeners in reverse order, so the master's own, which
    collects the last figures of its workers, has run by then.
    """
    for session in _sessions:
        session.quitting()


events.init_command_line_parser.add_listener(arguments.add)
events.init.add_listener(begin)
events.quitting.add_listener(end)
