"""The runner's side of the protocol with the harness.

Each line of stdin is a question in JSON, and each question is answered by a line on stdout. An
error is an answer, too. Runs on CPython 3.7.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import select
import signal
import sys
from types import FrameType
from typing import Any, Dict, Iterator, Optional

from toolbench.driver import Unsupported
from toolbench.runner.workers import in_a_line
from toolbench.timeouts import TIMEOUTS

Message = Dict[str, Any]

SIGNAL_CHECK = 0.25
"""Seconds between two checks for a signal while the runner waits for a question."""


class RunnerSession:
    """Answers the questions about one contender, which is opened first.

    The event loop stands still between two questions.
    """

    def __init__(self) -> None:
        self._opened: Any = None
        self._loop: Optional[asyncio.AbstractEventLoop] = None

    def answer(self, line: str) -> Optional[Message]:
        """Return the answer to a line; None if the line asks to end."""
        try:
            question = json.loads(line)
            return None if question["do"] == "end" else self._reply(question)
        except Unsupported as refusal:
            return {"unsupported": str(refusal)}
        except Exception as error:  # noqa: BLE001 - the harness must hear of every error
            return {"error": in_a_line(error)}

    async def open(self, question: Message) -> Any:
        """Return what the other questions are about, with at least one connection open."""
        raise NotImplementedError

    async def check(self, opened: Any, question: Message) -> Message:
        """Do an operation once."""
        raise NotImplementedError

    async def drive(self, opened: Any, question: Message) -> Message:
        """Do an operation for a while."""
        raise NotImplementedError

    def close(self) -> None:
        """Close all connections, broken ones, too. A driver that blocks may take its time."""
        loop, opened = self._loop, self._opened
        self._loop = self._opened = None
        if loop is None:
            return
        if opened is not None:
            with contextlib.suppress(Exception):
                loop.run_until_complete(asyncio.wait_for(opened.close(), TIMEOUTS.close))
        loop.close()

    def _reply(self, question: Message) -> Message:
        does = question["do"]
        if does == "open":
            self.close()
            self._loop = new_loop(question["options"]["loop"])
            self._opened = self._loop.run_until_complete(self.open(question))
            return {"ready": True}
        if does not in ("check", "drive"):
            raise ValueError(f"unknown question {does!r}")
        if self._loop is None or self._opened is None:
            raise ValueError("nothing is open")
        return self._loop.run_until_complete(getattr(self, does)(self._opened, question))


def serve(session: RunnerSession) -> int:
    """Answer until the harness or a signal asks to end; return the exit status, always 0."""
    signal.signal(signal.SIGTERM, _end)
    # A driver may print: that must not be taken for an answer.
    out, sys.stdout = sys.stdout, sys.stderr
    try:
        for line in questions(sys.stdin.fileno()):
            answer = session.answer(line)
            if answer is None:
                break
            out.write(json.dumps(answer, separators=(",", ":")) + "\n")
            out.flush()
    except SystemExit:
        pass
    finally:
        session.close()
    return 0


def questions(descriptor: int) -> Iterator[str]:
    """Yield the lines of a descriptor until its end.

    CPython calls a signal's handler between two bytecodes only. A signal that comes right before a
    blocking read would wait for the next line, so the read begins when there is something to read.
    """
    pending = b""
    while True:
        line, newline, rest = pending.partition(b"\n")
        if newline:
            pending = rest
            yield line.decode()
        elif select.select([descriptor], [], [], SIGNAL_CHECK)[0]:
            chunk = os.read(descriptor, 1 << 16)
            if not chunk:
                return
            pending += chunk


def _end(number: int, frame: Optional[FrameType]) -> None:
    raise SystemExit(0)


def new_loop(name: str) -> asyncio.AbstractEventLoop:
    """Return an event loop: uvloop if that is the name, else asyncio's."""
    if name == "uvloop":
        import uvloop

        return uvloop.new_event_loop()
    return asyncio.new_event_loop()
