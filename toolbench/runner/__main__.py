"""``python -m toolbench.runner``: lines of JSON in, lines of JSON out, until the end of either."""

from __future__ import annotations

import json
import signal
import sys
from types import FrameType
from typing import Optional

from toolbench.runner.session import Session


def main() -> int:
    """The exit status: 0, whatever was asked."""
    signal.signal(signal.SIGTERM, _end)
    # What a driver may print is no answer.
    out, sys.stdout = sys.stdout, sys.stderr
    session = Session()
    try:
        for line in sys.stdin:
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


def _end(number: int, frame: Optional[FrameType]) -> None:
    raise SystemExit(0)


if __name__ == "__main__":
    sys.exit(main())
