"""Signals that end Locust in order, with its reports written."""

from __future__ import annotations

import signal
from typing import Any

import gevent


def handle_sigint() -> None:
    """Let Ctrl-C end the program in the main greenlet, where Locust waits for the end.

    Python would raise it in whatever runs at the moment. That may be a user's greenlet, which
    would die with a traceback.
    """
    main, loop = gevent.getcurrent(), gevent.get_hub().loop

    def handle(*_: Any) -> None:
        loop.run_callback_threadsafe(main.throw, KeyboardInterrupt)

    # A shell that runs Locust in the background has the signal ignored.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, handle)


def handle_sigterm(session: Any) -> None:
    """Let SIGTERM end a shape without a page as Ctrl-C does.

    Locust handles it only after the shape is over; until then the program would end without a
    report. `session.run` is the last run.
    """
    main, hub = gevent.getcurrent(), gevent.get_hub()

    def handle() -> None:
        handler.cancel()
        if session.run is None:
            # Nothing began, and at a KeyboardInterrupt Locust would print a traceback.
            hub.loop.run_callback(main.throw, SystemExit(128 + signal.SIGTERM))
        elif not session.run.ended:
            hub.loop.run_callback(main.throw, KeyboardInterrupt)

    handler = gevent.signal_handler(signal.SIGTERM, handle)
