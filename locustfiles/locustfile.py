"""The one file for Locust: ``locust -f locustfiles/locustfile.py``, from the project's folder.

``make locust`` starts the site and Locust with it; see docs/locust.md.
"""

from __future__ import annotations

from typing import Any

from locust import events
from locust.runners import WorkerRunner

from locustfiles.run import arguments
from locustfiles.run.planned import shape_class
from locustfiles.run.session import Session, hear_sigint
from locustfiles.shapes import SHAPES
from locustfiles.users import USERS

# Locust looks for users and shapes among the names of this module.
globals().update(USERS)
globals().update({name: shape_class(name, kind) for name, kind in SHAPES.items()})

_sessions: list[Session] = []


def begin(environment: Any, **_: Any) -> None:
    """Workers only do as they are told."""
    hear_sigint()
    if not isinstance(environment.runner, WorkerRunner):
        session = Session(environment)
        _sessions.append(session)
        if environment.parsed_options.headless and environment.shape_class:
            session.hear_sigterm()


def end(**_: Any) -> None:
    """Heard after the master's own listener, which has by then the last figures of its workers:
    what is added first is called last.
    """
    for session in _sessions:
        session.quitting()


events.init_command_line_parser.add_listener(arguments.add)
events.init.add_listener(begin)
events.quitting.add_listener(end)
