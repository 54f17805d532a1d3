"""Questions and answers, a line of JSON each, until the end of either side; a failure is an answer.

Runs on CPython 3.7 too.
"""

from __future__ import annotations

import asyncio
import json
import signal
import sys
from types import FrameType
from typing import Any, Dict, Optional

from toolbench.driver import Unsupported
from toolbench.runner.timed import in_a_line

Words = Dict[str, Any]


class Conversation:
    """What a runner has to say."""

    def answer(self, line: str) -> Optional[Words]:
        """What is answered to a line; None where it says that this is the end."""
        try:
            question = json.loads(line)
            return None if question["do"] == "end" else self.reply(question)
        except Unsupported as refusal:
            return {"unsupported": str(refusal)}
        except Exception as error:  # noqa: BLE001 - whatever it is, the other side must hear of it
            return {"error": in_a_line(error)}

    def reply(self, question: Words) -> Words:
        """The answer to a question; whatever it raises is one too."""
        raise NotImplementedError

    def close(self) -> None:
        """End all connections, broken ones too."""
        raise NotImplementedError


def serve(conversation: Conversation) -> int:
    """The exit status: 0, whatever was asked."""
    signal.signal(signal.SIGTERM, _end)
    # What a driver may print is no answer.
    out, sys.stdout = sys.stdout, sys.stderr
    try:
        for line in sys.stdin:
            answer = conversation.answer(line)
            if answer is None:
                break
            out.write(json.dumps(answer, separators=(",", ":")) + "\n")
            out.flush()
    except SystemExit:
        pass
    finally:
        conversation.close()
    return 0


def _end(number: int, frame: Optional[FrameType]) -> None:
    raise SystemExit(0)


def new_loop(name: str) -> asyncio.AbstractEventLoop:
    """An event loop of that name; a driver that blocks has any."""
    if name == "uvloop":
        import uvloop

        return uvloop.new_event_loop()
    return asyncio.new_event_loop()
