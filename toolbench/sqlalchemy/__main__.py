"""``python -m toolbench.sqlalchemy``: run SQLAlchemy's workload."""

from __future__ import annotations

import sys

from toolbench.runner.protocol import serve
from toolbench.sqlalchemy.session import WorkloadSession

if __name__ == "__main__":
    sys.exit(serve(WorkloadSession()))
