"""``python -m toolbench.sqlalchemy``: the runner of the workload."""

from __future__ import annotations

import sys

from toolbench.runner.conversation import serve
from toolbench.sqlalchemy.session import Session

if __name__ == "__main__":
    sys.exit(serve(Session()))
