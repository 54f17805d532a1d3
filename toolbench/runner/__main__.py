"""``python -m toolbench.runner``: the runner of Python's drivers."""

from __future__ import annotations

import sys

from toolbench.runner.conversation import serve
from toolbench.runner.session import Session

if __name__ == "__main__":
    sys.exit(serve(Session()))
